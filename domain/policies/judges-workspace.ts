/** Whether a policy of this scope judges the plans of a workspace. */
export function judgesWorkspace(
  scope: 'all' | 'production' | readonly number[],
  { id, criticality }: { id: number; criticality: 'standard' | 'production' },
): boolean {
  if (scope === 'all') return true
  return scope === 'production' ? criticality === 'production' : scope.includes(id)
}
