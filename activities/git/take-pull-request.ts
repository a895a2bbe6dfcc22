import { AppError, unavailable } from '../../domain/errors.ts'
import { folderOfWorkspace } from '../../domain/git/plan-hydration.ts'
import { foldersOf, isWithin, type WorkspaceSource } from '../../domain/git/workspace-source.ts'
import { openHost } from '../../app/git/open-host.ts'
import type { GitHost } from '../../gateways/git/git-host.ts'
import { hasCode } from '../../gateways/git/head-moved.ts'
import type { GitConnection } from '../../store/git/git-connections.ts'
import { gitPullRequests } from '../../store/git/git-pull-requests.ts'
import { startComment } from '../../app/git/start-comment.ts'
import { workspacesOfConnection } from '../../store/git/workspaces-of-source.ts'
import type { Deps } from '../deps.ts'
import { authorsOfPull } from './authors-of-pull.ts'
import { planPullRequest, type PullTarget } from './plan-pull-request.ts'

/**
 * Plans a pull request, as it is at the host now, in each workspace whose folder it touches. Never one from
 * a fork: a plan runs its author's code with the workspace's secrets, and an attacker who cannot push can
 * fork.
 */
export async function takePullRequest(
  deps: Deps,
  at: { organizationId: number; connection: GitConnection; number: number },
): Promise<void> {
  const { organizationId, connection, number } = at
  const { defaultRepo: repo } = connection
  if (!repo) return
  const host = openHost(deps, organizationId, connection)
  const pull = await host.pull(repo, number)
  if (!pull?.open || pull.fork) return
  const targets = await targetsOf(deps, { organizationId, connection, host, into: pull.into })
  if (targets.length === 0) return
  const changed = await host.changedPaths(repo, pull)
  const touched = targets.filter(({ folders }) =>
    changed.some((path) => folders.some((folder) => isWithin(path, folder))),
  )
  const commit = touched.length > 0 && (await host.head(repo, pull.from))
  if (!commit) return
  const row = await deps.store.tenant(organizationId, async (tenant) =>
    gitPullRequests(tenant).of(connection.id, repo, number),
  )
  const place = { organizationId, repo, branch: pull.from, commit }
  let asked: Promise<number[]> | undefined
  const authors = async () => (asked ??= authorsOfPull(deps, host, { ...place, into: pull.into }))
  for (const target of touched) {
    const plan = { ...place, pullRequestId: row.id, target, authors }
    try {
      await planPullRequest(deps, host, plan)
    } catch (error) {
      if (hasCode(error, 'git_head_moved'))
        throw unavailable('git_branch_busy', 'The branch moved on while it was read.')
      if (!(error instanceof AppError) || error.fault !== 'invalid') throw error
      await deps.store.tenant(organizationId, async (tenant) => {
        const pulls = gitPullRequests(tenant)
        await pulls.setFault(row.id, target.workspaceId, error.message.slice(0, 500))
        const after = `fault-${target.workspaceId}-${commit}`
        await startComment(tenant, { pullRequestId: row.id, after })
      })
    }
  }
}

/** The workspaces whose files are read from the target branch, or written to it. */
async function targetsOf(
  { store }: Deps,
  at: { organizationId: number; connection: GitConnection; host: GitHost; into: string },
): Promise<PullTarget[]> {
  const { organizationId, connection, host, into } = at
  const found = await store.tenant(organizationId, async (tenant) =>
    workspacesOfConnection(tenant, connection),
  )
  const targets: PullTarget[] = []
  for (const { id, name, sourceKind, source, path } of found) {
    const written = sourceKind === 'inline'
    const branch = written ? connection.defaultBranch : await branchOf(host, connection, source)
    if (branch !== into) continue
    if (written && connection.repoType !== 'infra') continue
    const folder = folderOfWorkspace(name)
    targets.push({
      workspaceId: id,
      folders: written ? [folder] : foldersOf(source, path),
      prefix: written ? `${folder}/` : '',
    })
  }
  return targets
}

async function branchOf(
  host: GitHost,
  { defaultRepo, defaultBranch }: GitConnection,
  { repo, branch }: WorkspaceSource,
): Promise<string | null> {
  if (branch !== undefined) return branch
  if (repo === undefined && defaultBranch) return defaultBranch
  return (await host.repository(repo ?? defaultRepo ?? '')).defaultBranch
}
