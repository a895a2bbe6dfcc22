import { AppError, unavailable } from '../../domain/errors.ts'
import { folderOfWorkspace } from '../../domain/git/plan-hydration.ts'
import { foldersOf, type WorkspaceSource } from '../../domain/git/workspace-source.ts'
import { openHost } from '../../app/git/open-host.ts'
import type { GitHost } from '../../gateways/git/git-host.ts'
import type { FoundPull } from '../../gateways/git/git-pulls.ts'
import { hasCode } from '../../gateways/git/head-moved.ts'
import { transactionId } from '../../store/driver/transaction-id.ts'
import type { GitConnection } from '../../store/git/git-connections.ts'
import { gitPullRequests } from '../../store/git/git-pull-requests.ts'
import { startComment } from '../../app/git/start-comment.ts'
import { workspacesOfConnection } from '../../store/git/workspaces-of-source.ts'
import type { Deps } from '../deps.ts'
import { authorsOfPull } from './authors-of-pull.ts'
import { countTurns } from './count-turns.ts'
import { planPullRequest, type PullPlan, type PullTarget } from './plan-pull-request.ts'
import { pushReader, type PushReader } from './read-pushes.ts'
import { touchedTargets } from './touched-targets.ts'

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
  // Any folder may be among what the host does not tell.
  const touched = changed ? await touchedTargets(targets, changed) : targets
  const commit = await headOf(deps, { organizationId, connection, host, pull, touched })
  if (!commit) return
  const pullRequestId = await deps.store.tenant(organizationId, async (tenant) => {
    const pulls = gitPullRequests(tenant)
    const { id } = await pulls.of(connection.id, repo, number)
    // Plans of this commit are there already if the branch was set back to it, and nothing is planned below.
    const isShown = touched.length === 0 || (await pulls.isPlannedAt(id, commit))
    if ((await pulls.setHead(id, commit)) && isShown)
      await startComment(tenant, {
        pullRequestId: id,
        after: `head-${await transactionId(tenant)}`,
      })
    return id
  })
  const place = { organizationId, repo, branch: pull.from, commit }
  let asked: Promise<number[]> | undefined
  const authors = async () => (asked ??= authorsOfPull(deps, host, { ...place, into: pull.into }))
  for (const target of touched) {
    const plan = { ...place, pullRequestId, target, authors }
    try {
      await planPullRequest(deps, host, plan)
    } catch (error) {
      await noteFault(deps, plan, error)
    }
  }
}

/** The head, if it concerns a workspace now, or did when the comment was written. */
async function headOf(
  { store }: Deps,
  at: {
    organizationId: number
    connection: GitConnection
    host: GitHost
    pull: FoundPull
    touched: readonly PullTarget[]
  },
): Promise<string | null> {
  const { organizationId, connection, host, pull, touched } = at
  const { id, defaultRepo: repo } = connection
  if (!repo) return null
  const isKnown =
    touched.length > 0 ||
    (await store.tenant(organizationId, async (tenant) =>
      gitPullRequests(tenant).isKnown(id, repo, pull.number),
    ))
  return isKnown ? host.head(repo, pull.from) : null
}

/** Records a fault that a retry cannot fix: it does not keep other workspaces from their plan. */
async function noteFault(
  { store }: Deps,
  { organizationId, pullRequestId, commit, target: { workspaceId } }: PullPlan,
  error: unknown,
): Promise<void> {
  if (hasCode(error, 'git_head_moved'))
    throw unavailable('git_branch_busy', 'The branch moved on while it was read.')
  if (!(error instanceof AppError)) throw error
  // Deleted since it was listed.
  if (error.fault === 'not_found') return
  if (error.fault !== 'invalid' && error.fault !== 'conflict') throw error
  const fault = error.message.slice(0, 500)
  await store.tenant(organizationId, async (tenant) => {
    const pulls = gitPullRequests(tenant)
    if (!(await pulls.setFault(pullRequestId, { workspaceId, commit }, fault))) return
    const after = `fault-${workspaceId}-${await transactionId(tenant)}`
    await startComment(tenant, { pullRequestId, after })
  })
}

/** What the folders of one workspace take, which are compared with each other. */
const stepsOfFolders = 10_000

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
  // All of them are of one repository, which the host is asked about once.
  const reader = pushReader(host)
  const takeTurns = countTurns()
  for (const { id, name, sourceKind, source, path } of found) {
    const written = sourceKind === 'inline'
    const branch = written ? connection.defaultBranch : await branchOf(reader, connection, source)
    await takeTurns(stepsOfFolders)
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
  reader: PushReader,
  { defaultRepo, defaultBranch }: GitConnection,
  { repo, branch }: WorkspaceSource,
): Promise<string | null> {
  if (branch !== undefined) return branch
  if (repo === undefined && defaultBranch) return defaultBranch
  return reader.defaultBranch(repo ?? defaultRepo ?? '')
}
