import { isListed } from '../../domain/workspaces/assemble-files.ts'
import { assertUsable } from '../../domain/workspaces/configuration-files.ts'
import { readSourceFiles } from '../../gateways/configurations/read-configuration.ts'
import type { GitHost } from '../../gateways/git/git-host.ts'
import { systemActor } from '../../store/audit/audit-log.ts'
import { gitPullRequests } from '../../store/git/git-pull-requests.ts'
import { startComment } from '../../app/git/start-comment.ts'
import { createRun } from '../../app/runs/create-run.ts'
import { createVersion } from '../../app/workspaces/create-version.ts'
import { openFilePieces } from '../../app/workspaces/open-files.ts'
import { configurationVersions } from '../../store/workspaces/configuration-versions.ts'
import { workspaces } from '../../store/workspaces/workspaces.ts'
import type { Deps } from '../deps.ts'

export type PullTarget = {
  workspaceId: number
  folders: string[]
  /** The folder of a hydrated workspace's files. */
  prefix: string
}

export type PullPlan = {
  organizationId: number
  pullRequestId: number
  repo: string
  branch: string
  commit: string
  target: PullTarget
  /** The members who are known to have written or pushed it. */
  authors: () => Promise<number[]>
}

/** Plans one workspace of a pull request at a commit, once. Version, run and comment are one transaction. */
export async function planPullRequest(
  deps: Deps,
  host: GitHost,
  { organizationId, pullRequestId, repo, branch, commit, target, authors }: PullPlan,
): Promise<void> {
  const { store } = deps
  const { workspaceId, folders, prefix } = target
  const newest = await store.tenant(organizationId, async (tenant) => {
    if (await gitPullRequests(tenant).isPlanned(pullRequestId, workspaceId, commit))
      return 'planned'
    const versions = configurationVersions(tenant)
    const version = await versions.newest(workspaceId)
    return version && { ...version, blobs: await versions.blobsOf(version.id) }
  })
  if (newest === 'planned') return
  const known = new Set(newest?.blobs)
  const read = await host.readFiles(repo, { branch, commit, folders, known })
  const listed = new Map([...read.listed].map(([path, blob]) => [path.slice(prefix.length), blob]))
  // Our own pull request, for a version on a protected branch.
  const isOurs = (at: NonNullable<typeof newest>) =>
    prefix !== '' && isListed(listed, { names: at.fileNames, blobs: at.blobs })
  if (newest && isOurs(newest)) return
  const prepared = await readSourceFiles(organizationId, {
    source: { ...read, listed },
    earlier: newest && openFilePieces(deps, organizationId, newest),
    commit,
  })
  if (prefix !== '' && prepared.unchanged) return
  const authorUserIds = await authors()
  await store.tenant(organizationId, async (tenant) => {
    const workspace = await workspaces(tenant).getForUpdate(workspaceId)
    const pulls = gitPullRequests(tenant)
    if (await pulls.isPlanned(pullRequestId, workspaceId, commit)) return
    assertUsable(prepared, workspace.path)
    const version = await createVersion(deps, tenant, {
      workspaceId,
      pullRequestId,
      authorUserIds,
      unknownAuthor: true,
      files: prepared,
      commit,
    })
    await pulls.setFault(pullRequestId, { workspaceId, commit }, null)
    const { run } = await createRun(tenant, {
      workspace,
      version,
      kind: 'plan',
      origin: 'pull_request',
      author: null,
      actor: systemActor,
    })
    await startComment(tenant, { pullRequestId, after: `run-${run.id}-begun` })
  })
}
