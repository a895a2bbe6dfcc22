import { faultOfShape } from '../../../domain/json/json-shape.ts'

/** The largest manifest that is read; one of 5,000 files has less. */
export const maxManifestBytes = 4 * 1024 ** 2

/** Its fields and items: 5,000 files have 10 each at the most. Two million take JSON.parse 0.1 s. */
const maxManifestMembers = 100_000

/** A manifest's fields; undefined where it is cut off, has too many of them, or is no JSON object. */
export function parseManifest(text: string): Record<string, unknown> | undefined {
  // Some exports begin with a byte order mark.
  const json = text.replace(/^\uFEFF/, '')
  if (faultOfShape(json, maxManifestMembers)) return undefined
  try {
    const parsed: unknown = JSON.parse(json)
    return isRecord(parsed) ? parsed : undefined
  } catch {
    return undefined
  }
}

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
