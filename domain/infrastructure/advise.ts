/**
 * Rewrites errors of OpenTofu whose advice does not apply here: it mentions command line arguments,
 * which users of this service do not have.
 */
export function advise(error: string, workspaceId: number): string {
  if (!error.startsWith('No value for required variable')) return error
  const without = error.replace(/ Use a -var .*$/, '')
  return `${without} Set it under /api/workspaces/${workspaceId}/variables, or send it in the run's vars.`
}
