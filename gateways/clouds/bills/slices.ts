import { createHash } from 'node:crypto'
import type { BillFile, FoundSlice } from '../cloud.ts'
import { CloudFault } from '../cloud-fault.ts'

/** Clouds rewrite a month for some days after its end, and no longer. */
const maxPeriods = 3
const maxFiles = 5_000
const maxBytes = 256 * 1024 ** 3

/**
 * The newest months of these, and those in `also`. One that lies further ahead than the next month is no bill, and
 * would hide a real one.
 */
export function newestPeriods(
  found: Iterable<string>,
  also: readonly string[] = [],
  now = new Date(),
): string[] {
  const next = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1)).toISOString()
  return [...new Set(found)]
    .filter((period) => /^\d{4}-(0[1-9]|1[0-2])$/.test(period) && period <= next.slice(0, 7))
    .toSorted()
    .toReversed()
    .filter((period, at) => at < maxPeriods || also.includes(period))
}

type Place = { period: string; manifest: string }

/** A slice of which everything is there; one that is larger than what is ingested waits, and says so. */
export function readySlice(
  { period, manifest }: Place,
  found: readonly BillFile[],
  rows: number | null = null,
): FoundSlice {
  const place = { period, manifest: shown(manifest) }
  const odd = found.find(({ key }) => /\p{Cc}|(^|\/)\.\.?(\/|$)/u.test(key))
  // An address with such a part would be of another file.
  if (odd) return waitingSlice(place, `The name of ${shown(odd.key)} cannot be asked for.`)
  if (found.length === 0) return waitingSlice(place, 'The manifest names no file.')
  if (found.length > maxFiles) {
    const reason = `The bill has ${found.length} files; at most ${maxFiles} are read. Export larger files.`
    return waitingSlice(place, reason)
  }
  const bytes = found.reduce((sum, { size }) => sum + size, 0)
  if (bytes > maxBytes) {
    const reason = `The bill has ${Math.ceil(bytes / 1024 ** 3)} GiB; at most ${maxBytes / 1024 ** 3} are read. Export it by day, or compressed.`
    return waitingSlice(place, reason)
  }
  const files = found.toSorted((one, other) => (one.key < other.key ? -1 : 1))
  return { ...place, state: 'ready', reason: null, hash: hashOf(files), rows, files }
}

/** A slice of the files that its manifest names; it waits until each of them is listed. */
export function namedSlice(
  place: Place,
  files: { named: readonly string[]; listed: readonly BillFile[]; rows?: number | null },
): FoundSlice {
  const there = new Map(files.listed.map((file) => [file.key, file]))
  const missing = files.named.find((key) => !there.has(key))
  if (missing !== undefined)
    return waitingSlice(place, `The manifest names ${shown(missing)}, which is not there.`)
  const found = files.named.flatMap((named) => there.get(named) ?? [])
  const own = found.map(({ key, size, etag }) => ({ key, size, etag }))
  return readySlice(place, own, files.rows ?? null)
}

export const waitingSlice = ({ period, manifest }: Place, reason: string): FoundSlice => ({
  period,
  manifest: shown(manifest),
  state: 'waiting',
  reason,
  hash: hashOf([]),
  rows: null,
  files: [],
})

/** A name of the storage's, in a text that is stored and shown. PostgreSQL refuses some control characters. */
export const shown = (name: string): string => name.slice(0, 1_100).replaceAll(/\p{Cc}/gu, '\uFFFD')

/** The folder that all of these are in. */
export function commonFolder(keys: readonly string[]): string {
  const [first = '', ...others] = keys
  let folder = first.slice(0, first.lastIndexOf('/') + 1)
  for (const key of others)
    while (!key.startsWith(folder))
      folder = folder.slice(0, folder.lastIndexOf('/', folder.length - 2) + 1)
  return folder
}

function hashOf(sorted: readonly BillFile[]): string {
  const hash = createHash('sha256')
  // JSON separates the parts, since a key may have any character in it.
  for (const { key, size, etag } of sorted) hash.update(`${JSON.stringify([key, etag, size])}\n`)
  return hash.digest('hex')
}

const maxListed = 100_000
const maxPages = 300

/** All pages of a list. A storage that never ends its list, or repeats a page, is refused. */
export async function allPages<T>(
  ask: (token: string | undefined) => Promise<{ items: readonly T[]; next: string | undefined }>,
): Promise<T[]> {
  const items: T[] = []
  let token: string | undefined
  // Pages are counted too: a storage may send empty ones that always go on.
  for (let pages = 1; pages <= maxPages; pages += 1) {
    const page = await ask(token)
    if (page.next !== undefined && page.next === token)
      throw new CloudFault('unreachable', 'The storage repeats a page of its list.')
    for (const item of page.items) items.push(item)
    if (items.length > maxListed) break
    token = page.next
    if (token === undefined) return items
  }
  throw new CloudFault('unreachable', tooMany)
}

const tooMany = `The folder of the bill lists more than ${maxListed} files. Give the bill a folder of its own.`

/** As `Promise.all`, but none is still under way when it throws: the caller then closes the connections. */
export async function all<T>(calls: ReadonlyArray<Promise<T>>): Promise<T[]> {
  const results = await Promise.allSettled(calls)
  return results.map((result) => {
    if (result.status === 'rejected') throw result.reason
    return result.value
  })
}
