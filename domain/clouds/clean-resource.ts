import type { FoundResource } from './cloud-account.ts'

/** The columns of the list's index hold this many characters of up to four bytes (RFC 3629). */
const maxShort = 150
const maxName = 2_000
const maxCloudId = 2_000
const maxTagBytes = 65_536
/** Each one costs the API time and memory, however short it is. */
const maxTags = 1_000

/**
 * As the store can hold it: PostgreSQL's text and jsonb have no NUL and no lone surrogates. A resource with
 * a cloud id of more than 2,000 characters is dropped (undefined), since cut it would name another. Of its
 * tags, in the order of their keys, those are left out that would make them more than 1,000, or more than
 * 64 KiB together. No cloud has such ids or tags; an endpoint of the account's own can send any.
 */
export function cleanResource(resource: FoundResource): FoundResource | undefined {
  const { cloudId, service, type, name, region, tags } = resource
  if (cloudId.length > maxCloudId) return undefined
  return {
    cloudId: clean(cloudId),
    service: clean(service, maxShort),
    type: clean(type, maxShort),
    name: clean(name, maxName),
    region: clean(region, maxShort),
    tags: cleanTags(tags),
  }
}

function cleanTags(tags: FoundResource['tags']): FoundResource['tags'] {
  let left = maxTagBytes
  let room = maxTags
  const kept = Object.entries(tags)
    .map(([key, value]): [string, string] => [clean(key), clean(value)])
    // Clouds list tags in any order, and another order is no change.
    .toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
    .filter(([key, value]) => {
      const bytes = Buffer.byteLength(key) + Buffer.byteLength(value)
      if (room === 0 || bytes > left) return false
      room -= 1
      left -= bytes
      return true
    })
  return Object.fromEntries(kept)
}

const clean = (text: string, maxLength = text.length): string =>
  text.slice(0, maxLength).replaceAll('\0', '\u{FFFD}').toWellFormed()
