import { lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'

/** The size of a folder on its disk. Files that vanish meanwhile do not count. */
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
