import { foldersAround } from '../../domain/git/workspace-source.ts'
import { countTurns, type CountSteps } from './count-turns.ts'

/** What a look-up takes beside the characters of the folder's name. */
const stepsOfLookUp = 256

/**
 * The targets with a folder that one of the paths is in. Both lists are people's: 100,000 paths of one pull request,
 * compared with each folder of the workspaces of a connection, of which there is no limit, kept the worker from
 * everybody's work for a quarter of a minute. So the folders around each path are looked up among those of the
 * targets, and others have turns meanwhile. No folder is kept but the targets' own: a path of 160 characters can be
 * in 80 folders, and 100,000 such paths would take hundreds of megabytes.
 */
export async function touchedTargets<Target extends { folders: readonly string[] }>(
  targets: readonly Target[],
  paths: readonly string[],
): Promise<Target[]> {
  const takeTurns = countTurns()
  const touched = await touchedFolders(await foldersOfAll(targets, takeTurns), paths, takeTurns)
  const found: Target[] = []
  for (const target of targets) {
    if (target.folders.some((folder) => touched.has(folder))) found.push(target)
    await takeTurns(target.folders.length * stepsOfLookUp)
  }
  return found
}

type Folders = { names: ReadonlySet<string>; longest: number }

async function foldersOfAll(
  targets: ReadonlyArray<{ folders: readonly string[] }>,
  takeTurns: CountSteps,
): Promise<Folders> {
  const names = new Set<string>()
  let longest = 0
  for (const { folders } of targets) {
    let steps = 0
    for (const folder of folders) {
      names.add(folder)
      longest = Math.max(longest, folder.length)
      steps += folder.length + stepsOfLookUp
    }
    await takeTurns(steps)
  }
  return { names, longest }
}

async function touchedFolders(
  { names, longest }: Folders,
  paths: readonly string[],
  takeTurns: CountSteps,
): Promise<Set<string>> {
  const touched = new Set<string>()
  for (const path of paths) {
    if (touched.size === names.size) break
    let steps = stepsOfLookUp
    for (const folder of foldersAround(path, longest)) {
      if (names.has(folder)) touched.add(folder)
      steps += folder.length + stepsOfLookUp
    }
    await takeTurns(steps)
  }
  return touched
}
