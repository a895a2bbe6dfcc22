import type { FoundResource } from './cloud-account.ts'

/** The columns of the list's index hold this many characters of up to four bytes (RFC 3629). */
const maxShort = 150
const maxName = 2_000

/** As the store can hold it: PostgreSQL's text and jsonb have no NUL and no lone surrogates. */
export function cleanResource(resource: FoundResource): FoundResource {
  const { cloudId, service, type, name, region, tags } = resource
  return {
    cloudId: clean(cloudId),
    service: clean(service, maxShort),
    type: clean(type, maxShort),
    name: clean(name, maxName),
    region: clean(region, maxShort),
    tags: Object.fromEntries(
      Object.entries(tags)
        .map(([key, value]): [string, string] => [clean(key), clean(value)])
        // Clouds list tags in any order, and another order is no change.
        .toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)),
    ),
  }
}

const clean = (text: string, maxLength = text.length): string =>
  text.slice(0, maxLength).replaceAll('\0', '\u{FFFD}').toWellFormed()
