import { invalid } from '../errors.ts'
import { checkFolder } from '../workspaces/configuration-files.ts'

/** The stored source of a workspace of kind `git`. Without a repository and branch, those of the connection. */
export type WorkspaceSource = { repo?: string; branch?: string; include?: string[] }

/**
 * The folders of a workspace's configuration: its own and included ones (shared modules). A folder
 * within another of them is left out, so that no file is read twice.
 */
export function foldersOf({ include = [] }: WorkspaceSource, path: string): string[] {
  const all = [...new Set([path, ...include])].toSorted()
  return all.filter((folder) => !all.some((other) => other !== folder && isWithin(folder, other)))
}

/** Whether a path is in the folder; everything is in the empty one. */
export const isWithin = (path: string, folder: string): boolean =>
  folder === '' || path.startsWith(`${folder}/`)

/**
 * The folders that a path is in by `isWithin`, each once, the empty one first. None with a name of more than `longest`
 * characters: the names of all folders of a path of a million slashes have 500 GB together.
 */
export function* foldersAround(path: string, longest: number): Generator<string> {
  yield ''
  for (
    let slash = path.indexOf('/', 1);
    slash !== -1 && slash <= longest;
    slash = path.indexOf('/', slash + 1)
  )
    yield path.slice(0, slash)
}

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
