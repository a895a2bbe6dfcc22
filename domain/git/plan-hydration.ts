import { blobId } from './blob-id.ts'

export type FilesByBlob = ReadonlyMap<string, string>

export type HydrationPlan = {
  write: Record<string, string>
  /** Files that we wrote and that are no longer in the configuration. */
  remove: string[]
  /** Files that somebody else edited, added in our place, or deleted. */
  diverged: string[]
}

/**
 * What must change in a workspace's folder. `desired` and `found` have whole paths; `written` are the
 * listings that we wrote or proposed there before. A file in the repository that is in none of them and
 * differs from the desired one is somebody else's work and is not overwritten.
 */
export function planHydration(
  desired: Readonly<Record<string, string>>,
  { found, written }: { found: FilesByBlob; written: readonly FilesByBlob[] },
): HydrationPlan {
  const before = written.length > 0 ? written : [new Map<string, string>()]
  const plan: HydrationPlan = { write: {}, remove: [], diverged: [] }
  const known = new Set(before.flatMap((files) => [...files.keys()]))
  for (const path of [...new Set([...Object.keys(desired), ...known])].toSorted()) {
    const content = desired[path]
    const wanted = content === undefined ? undefined : blobId(content)
    const there = found.get(path)
    if (there === wanted) continue
    if (!before.some((files) => files.get(path) === there)) plan.diverged.push(path)
    if (content === undefined) plan.remove.push(path)
    else plan.write[path] = content
  }
  return plan
}

export const folderOfWorkspace = (name: string): string => `workspaces/${name}`
