import * as git from 'isomorphic-git'
import type { CommitRequest, GitChange } from './git-host.ts'
import { remoteUrl, type FetchedSnapshot } from './fetch-snapshot.ts'
import { branchProtected, headMoved } from './head-moved.ts'

const identity = { name: 'cloud-control', email: 'cloud-control@localhost' }

/**
 * Writes one commit on top of the snapshot and pushes it, never forced. The push names the expected head, so
 * the server accepts it only while the branch is still there.
 */
export async function pushCommit(
  snapshot: FetchedSnapshot,
  request: CommitRequest,
): Promise<string> {
  const { fs, gitdir, http, cache } = snapshot
  const { branch, expectedHead, message } = request
  const root = expectedHead
    ? (await git.readTree({ fs, gitdir, cache, oid: expectedHead })).oid
    : undefined
  const tree = await editTree(snapshot, root, nested(request.change))
  if (tree === root && expectedHead) return expectedHead
  const commit = await git.commit({
    fs,
    gitdir,
    message,
    tree: tree ?? (await git.writeTree({ fs, gitdir, tree: [] })),
    parent: expectedHead ? [expectedHead] : [],
    author: identity,
    ref: `refs/heads/${branch}`,
  })
  try {
    const { ok, refs } = await git.push({
      fs,
      http,
      gitdir,
      url: remoteUrl,
      ref: branch,
      remoteRef: `refs/heads/${branch}`,
      force: false,
    })
    if (ok) return commit
    throw refusalOfPush(Object.values(refs).map(({ error }) => error))
  } catch (error) {
    if (error instanceof git.Errors.PushRejectedError) throw headMoved()
    if (error instanceof git.Errors.GitPushError)
      throw refusalOfPush(Object.values(error.data.result.refs).map(({ error: why }) => why))
    throw error
  }
}

function refusalOfPush(reasons: unknown[]) {
  const text = reasons.filter((reason) => typeof reason === 'string').join(' ')
  return /hook declined|protected|prohibited|denied/i.test(text) ? branchProtected() : headMoved()
}

/** A folder's changes: `null` removes, text writes, a map goes deeper. */
type Edits = Map<string, string | null | Edits>

function nested({ write, remove }: GitChange): Edits {
  const root: Edits = new Map()
  const put = (path: string, value: string | null) => {
    const segments = path.split('/')
    const name = segments.pop() ?? ''
    let at = root
    for (const segment of segments) {
      const next = at.get(segment)
      const folder: Edits = next instanceof Map ? next : new Map()
      at.set(segment, folder)
      at = folder
    }
    at.set(name, value)
  }
  for (const path of remove) put(path, null)
  for (const [path, content] of Object.entries(write)) put(path, content)
  return root
}

/** The id of the edited tree; undefined if it is empty, which git does not store. */
async function editTree(
  snapshot: FetchedSnapshot,
  oid: string | undefined,
  edits: Edits,
): Promise<string | undefined> {
  const { fs, gitdir, cache } = snapshot
  const before = oid ? (await git.readTree({ fs, gitdir, cache, oid })).tree : []
  const entries = new Map(before.map((entry) => [entry.path, entry]))
  for (const [path, edit] of edits) {
    const found = entries.get(path)
    if (edit instanceof Map) {
      const below = found?.type === 'tree' ? found.oid : undefined
      const tree = await editTree(snapshot, below, edit)
      if (tree) entries.set(path, { mode: '040000', path, oid: tree, type: 'tree' })
      else entries.delete(path)
    } else if (edit === null) entries.delete(path)
    else {
      const blob = await git.writeBlob({ fs, gitdir, blob: Buffer.from(edit) })
      entries.set(path, { mode: '100644', path, oid: blob, type: 'blob' })
    }
  }
  return entries.size === 0 ? undefined : git.writeTree({ fs, gitdir, tree: [...entries.values()] })
}
