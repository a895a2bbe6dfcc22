/**
 * Rewrites errors of OpenTofu whose advice does not apply here: it mentions command line arguments,
 * which users of this service do not have.
 */
export function advise(error: string): string {
  if (!error.startsWith('No value for required variable')) return error
  const without = error.replace(/ Use a -var .*$/, '')
  return `${without} Set it under Variables of the workspace, or as a variable of the run.`
}
