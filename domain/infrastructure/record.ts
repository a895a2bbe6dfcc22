export type UnknownRecord = Record<string, unknown>

export const isRecord = (value: unknown): value is UnknownRecord =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Reads own properties alone: a plan may have a key such as `constructor`. */
export const own = (value: unknown, key: string | number): unknown => {
  if (Array.isArray(value)) return typeof key === 'number' ? (value as unknown[])[key] : undefined
  return isRecord(value) && Object.hasOwn(value, key) ? value[key] : undefined
}
