/** As a manifest selects agents by them (domain/manifest/deploy-schema.ts). */
export const labelForm = '^[A-Za-z0-9](?:[A-Za-z0-9._/-]{0,61}[A-Za-z0-9])?$'
export const labelWords =
  'letters, digits, ".", "_", "/" and "-", at most 63, of which the first and the last are letters or digits'
export const maxLabels = 20

/** `role=web`; undefined if it is none. */
export function readLabel(text: string): { [key: string]: string } | undefined {
  const [, key, value] = /^([^=]+)=([^=]+)$/.exec(text) ?? []
  const form = new RegExp(labelForm)
  if (key === undefined || value === undefined) return undefined
  return form.test(key) && form.test(value) ? { [key]: value } : undefined
}
