import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import type { Outbound } from '../outbound/outbound.ts'
import { tarFiles } from './tar-files.ts'

const maxArchiveBytes = 128 * 1_048_576
/** A bomb of 128 MiB would unpack to 128 GiB. */
const maxUnpackedBytes = 512 * 1_048_576
const maxFileBytes = 10 * 1_048_576
const maxWantedBytes = 10 * 1_048_576
const maxMs = 60_000

/**
 * The wanted files out of a gzipped tar of a whole repository, by blob id, as far as they are in
 * it. Each is held against its id, so an archive can leave out a file or change it (git's
 * `export-ignore` and `export-subst` do), but never pass another content for it. It stops at the
 * last wanted file. An archive that is refused, cut short or too large gives what it gave so far:
 * its caller reads the rest one by one, and meets there what is wrong with the host.
 */
export async function readArchive(
  outbound: Outbound,
  { url, headers }: { url: string; headers: Record<string, string> },
  wanted: ReadonlyMap<string, string>,
): Promise<Map<string, Buffer>> {
  const found = new Map<string, Buffer>()
  const limits = { use: 'git' as const, timeoutMs: maxMs, maxBytes: maxArchiveBytes }
  try {
    const { status, body } = await outbound.stream(url, { ...limits, headers })
    try {
      if (status === 200) await collect(unpacked(body), { wanted, found })
    } finally {
      body.destroy()
    }
  } catch {
    // See above.
  }
  return found
}

async function collect(
  stream: AsyncIterable<Buffer>,
  { wanted, found }: { wanted: ReadonlyMap<string, string>; found: Map<string, Buffer> },
): Promise<void> {
  const ids = new Set(wanted.values())
  const wants = (name: string, size: number) =>
    size <= maxFileBytes && wanted.has(inRepository(name))
  let bytes = 0
  for await (const { path, content } of tarFiles(stream, wants)) {
    const id = wanted.get(inRepository(path))
    if (id === undefined || idOf(content) !== id) continue
    bytes += content.length
    if (bytes > maxWantedBytes) return
    found.set(id, content)
    if (found.size === ids.size) return
  }
}

/** The archive has one folder, named after the commit. */
const inRepository = (path: string): string => path.slice(path.indexOf('/') + 1)

/** gitformat-object. */
const idOf = (content: Buffer): string =>
  createHash('sha1').update(`blob ${content.length}\0`).update(content).digest('hex')

async function* unpacked(body: Readable): AsyncGenerator<Buffer> {
  const gunzip = createGunzip()
  body.once('error', (error) => gunzip.destroy(error))
  body.pipe(gunzip)
  let bytes = 0
  try {
    for await (const chunk of gunzip) {
      // No encoding is set, so its chunks are buffers.
      const part = chunk as Buffer
      bytes += part.length
      if (bytes > maxUnpackedBytes) throw new Error('the archive unpacks to more than is read')
      yield part
    }
  } finally {
    gunzip.destroy()
  }
}
