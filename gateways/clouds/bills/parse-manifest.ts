/** The largest manifest that is read; one of 5,000 files has less. */
export const maxManifestBytes = 4 * 1024 ** 2

/** A manifest's fields; undefined where it is cut off, or no JSON object. */
export function parseManifest(text: string): Record<string, unknown> | undefined {
  try {
    // Some exports begin with a byte order mark.
    const parsed: unknown = JSON.parse(text.replace(/^\uFEFF/, ''))
    return isRecord(parsed) ? parsed : undefined
  } catch {
    return undefined
  }
}

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
