import { invalid } from '../errors.ts'
import { checkFolder } from '../workspaces/configuration-files.ts'

/** What a workspace of source `git` reads, as it is stored: without a repository and branch, the connection's own. */
export type WorkspaceSource = { repo?: string; branch?: string; include?: string[] }

/**
 * The folders that make up a workspace's configuration: its own, and those it takes along (shared
 * modules). Folders within others of them are left out, so that no file is read twice.
 */
export function foldersOf({ include = [] }: WorkspaceSource, path: string): string[] {
  const all = [...new Set([path, ...include])].toSorted()
  return all.filter((folder) => !all.some((other) => other !== folder && isWithin(folder, other)))
}

/** Whether a path is in the folder; everything is in the empty one. */
export const isWithin = (path: string, folder: string): boolean =>
  folder === '' || path.startsWith(`${folder}/`)

/** Folders are named as paths of files are, relative to the repository's top. */
export function checkInclude(include: readonly string[]): void {
  for (const folder of include) {
    if (folder === '')
      throw invalid('source.include: name a folder. The whole repository is path "".', [
        { path: 'source.include', message: 'a folder has a name' },
      ])
    checkFolder(folder, 'source.include')
  }
}
