import { dirname } from 'node:path/posix'
import type { Workbench } from '../sandbox/workbench.ts'

/** Writes files below a folder of the workbench, by their paths in it. */
export async function writeFiles(
  bench: Workbench,
  folder: string,
  files: Readonly<Record<string, string>>,
): Promise<void> {
  const all = Object.entries(files).map(
    ([name, content]) => [`${folder}/${name}`, content] as const,
  )
  for (const made of new Set([folder, ...all.map(([path]) => dirname(path))]))
    await bench.makeFolder(made)
  for (const [path, content] of all) await bench.write(path, content)
}
