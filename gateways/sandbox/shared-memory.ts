import { open, stat } from 'node:fs/promises'

/**
 * The shared memory that these processes hold and that belongs to no process alone: a mapping of MAP_SHARED |
 * MAP_ANONYMOUS keeps its pages after the child that wrote them has ended, and no process's RssShmem shows
 * them. Files on a tmpfs are not counted: their mount has a size.
 *
 * Each mapping counts once with what it has allocated, however many processes share it. Only root may measure
 * that; for other users a mapping counts as a whole.
 */
export async function sharedMemoryBytes(proc: string, pids: readonly string[]): Promise<number> {
  const held = new Map<string, number>()
  let unread = mapsBytesAtMost
  for (const pid of pids) {
    const maps = await readAtMost(`${proc}/${pid}/maps`, unread)
    unread -= maps.length
    // Only an attacker has so many mappings, and reading all of them would cost the worker its time.
    if (unread <= 0) return Infinity
    for (const { range, inode, bytes } of sharedIn(maps)) {
      if (held.has(inode)) continue
      const file = await stat(`${proc}/${pid}/map_files/${range}`).catch(() => undefined)
      held.set(inode, file ? file.blocks * 512 : bytes)
    }
  }
  return [...held.values()].reduce((sum, bytes) => sum + bytes, 0)
}

/** Some 80,000 mappings, over all processes of a step; a JVM has a thousand. */
const mapsBytesAtMost = 8 * 1024 * 1024

/** As the kernel names what lies on its own tmpfs; a file of that name only adds to the count. */
const names = ['/dev/zero (deleted)', '/SYSV', '/memfd:', '[anon_shmem']

function* sharedIn(maps: Buffer) {
  for (const name of names)
    for (let at = maps.indexOf(name); at >= 0; at = maps.indexOf(name, at + 1)) {
      const start = maps.lastIndexOf('\n', at) + 1
      const [range = '', flags, , , inode = ''] = maps.toString('latin1', start, at).split(/\s+/)
      if (!flags?.endsWith('s')) continue
      const [from, to] = range.split('-').map((address) => Number.parseInt(address, 16))
      yield { range, inode, bytes: (to ?? 0) - (from ?? 0) }
    }
}

async function readAtMost(path: string, bytes: number): Promise<Buffer> {
  const file = await open(path).catch(() => undefined)
  if (!file) return Buffer.alloc(0)
  try {
    const chunks: Buffer[] = []
    for (let left = bytes; left > 0;) {
      const { bytesRead, buffer } = await file.read({ buffer: Buffer.allocUnsafe(65_536) })
      if (bytesRead === 0) break
      chunks.push(buffer.subarray(0, bytesRead))
      left -= bytesRead
    }
    return Buffer.concat(chunks)
  } catch {
    // It has ended, or is another's to look at.
    return Buffer.alloc(0)
  } finally {
    await file.close()
  }
}
