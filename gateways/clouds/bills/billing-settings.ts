/** A field of the billing settings (checked in domain/clouds/check-billing.ts); empty where it is not set. */
export function settingOf(billing: Readonly<Record<string, unknown>> | null, name: string): string {
  const value = billing?.[name]
  return typeof value === 'string' ? value : ''
}

/** `costs/` of `/costs/`; empty for the top of a bucket. */
export function folderOf(path: string): string {
  const bare = path.replace(/^\/+|\/+$/g, '')
  return bare === '' ? '' : `${bare}/`
}
