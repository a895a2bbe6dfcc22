/** One element of the permissions list of Microsoft.Authorization. */
export type Permission = { actions: string[]; notActions: string[] }

/** Whether a role allows this action: its `actions` match it, with `*` for anything, and its `notActions` do not. */
export function allowsAction(permissions: readonly Permission[], action: string): boolean {
  return permissions.some(
    ({ actions, notActions }) =>
      actions.some((pattern) => matches(pattern, action)) &&
      !notActions.some((pattern) => matches(pattern, action)),
  )
}

/**
 * Whether one role reads every type. A role that only together with another reads all counts as
 * partial, which is safe: each type that one of the two may read is known.
 */
export function readsAll(permissions: readonly Permission[]): boolean {
  return permissions.some(
    ({ actions, notActions }) =>
      actions.some((pattern) => pattern === '*' || pattern.toLowerCase() === '*/read') &&
      !notActions.some(mayMatchRead),
  )
}

/** Most exceptions of a role are writes: those of Contributor leave every read. */
function mayMatchRead(pattern: string): boolean {
  const end = pattern.toLowerCase().split('*').at(-1) ?? ''
  return pattern.includes('*')
    ? end.endsWith('/read') || '/read'.endsWith(end)
    : end.endsWith('/read')
}

function matches(pattern: string, action: string): boolean {
  const [first = '', ...rest] = pattern.toLowerCase().split('*')
  const text = action.toLowerCase()
  if (rest.length === 0) return text === first
  if (!text.startsWith(first)) return false
  let at = first.length
  const last = rest.pop() ?? ''
  for (const part of rest) {
    const found = text.indexOf(part, at)
    if (found < 0) return false
    at = found + part.length
  }
  return text.length - last.length >= at && text.endsWith(last)
}

/** What the permissions list answers; anything else in it is left out. */
export function permissionsIn(answer: unknown): Permission[] {
  const value =
    typeof answer === 'object' && answer !== null && 'value' in answer ? answer.value : []
  return (Array.isArray(value) ? value : []).map((entry: unknown) => ({
    actions: namesIn(entry, 'actions'),
    notActions: namesIn(entry, 'notActions'),
  }))
}

function namesIn(entry: unknown, list: string): string[] {
  if (typeof entry !== 'object' || entry === null) return []
  const names: unknown = Object.entries(entry).find(([key]) => key === list)?.[1]
  return Array.isArray(names) ? names.filter((name) => typeof name === 'string') : []
}
