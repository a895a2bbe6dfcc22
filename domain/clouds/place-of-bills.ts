/** Where bills are: `exact` as it stands, `path` without the slashes at its ends. */
type PlaceOfBills = { exact: Record<string, string>; path: string }

/**
 * What names an export among the billing settings that are shown. Not the endpoint, and of a table not the bucket:
 * they are ways to it. Two accounts that name one place would load the same bill, and count its cost twice.
 */
export function placeOfBills({
  endpoint: _,
  prefix = '',
  directory = '',
  ...shown
}: Readonly<Record<string, string>>): PlaceOfBills {
  const { projectId, dataset, table } = shown
  if (projectId !== undefined && dataset !== undefined && table !== undefined)
    return { exact: { projectId, dataset, table }, path: '' }
  return { exact: shown, path: (prefix || directory).replaceAll(/^\/+|\/+$/g, '') }
}
