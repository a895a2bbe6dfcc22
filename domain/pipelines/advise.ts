/**
 * OpenTofu's words for what somebody mends here in another way: it tells of command line
 * arguments, which nobody of this service has.
 */
export function advise(error: string, workspaceId: number): string {
  if (!error.startsWith('No value for required variable')) return error
  const without = error.replace(/ Use a -var .*$/, '')
  return `${without} Set it under /api/workspaces/${workspaceId}/variables, or send it in the run's vars.`
}
