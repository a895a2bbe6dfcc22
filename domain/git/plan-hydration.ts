import { blobId } from './blob-id.ts'

export type FilesByBlob = ReadonlyMap<string, string>

export type HydrationPlan = {
  write: Record<string, string>
  /** Files that we wrote once and that left the configuration. */
  remove: string[]
  /** Files that somebody else edited, added in our place, or deleted. */
  diverged: string[]
}

/**
 * What has to be done to a workspace's folder. `desired` and `found` have whole paths; `written`
 * are the listings that we wrote or proposed there before. A file of the repository that is in
 * none of these and is not what is wanted is somebody else's work, and is not written over.
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
