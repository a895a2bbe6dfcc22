import { lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'

/** Bytes that this folder takes on its disk. What vanishes meanwhile counts as nothing. */
export async function folderSize(path: string): Promise<number> {
  let size = 0
  const folders = [path]
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
    for (const entry of entries) {
      const at = join(folder, entry.name)
      if (entry.isDirectory()) folders.push(at)
      const info = await lstat(at).catch(() => undefined)
      size += (info?.blocks ?? 0) * 512
    }
  }
  return size
}
