import { setImmediate as others } from 'node:timers/promises'
import { AppError } from '../../domain/errors.ts'
import { blobId } from '../../domain/git/blob-id.ts'
import {
  showDifferences,
  type ShownDifference,
  type Sides,
} from '../../domain/git/show-differences.ts'
import { auditLog, systemActor } from '../../store/audit/audit-log.ts'
import { gitConnections } from '../../store/git/git-connections.ts'
import { gitHydrations, placeOfDifferences, placeOfShown } from '../../store/git/git-hydrations.ts'
import type { HydrateWorkspaceInput } from '../../workflows/git/contract.ts'
import { gitActivity } from './git-activity.ts'
import type { Deps } from '../deps.ts'
import { endHydration } from './end-hydration.ts'
import { notingRefusals } from './note-refusal.ts'
import { loadHydration, type LoadedHydration } from './load-hydration.ts'
import { openClaim, type OpenedClaim } from './open-claim.ts'
import { withdrawProposals } from './withdraw-proposals.ts'
import { writeHydration, type WrittenHydration } from './write-hydration.ts'

/** The lease of a writer on its branch. The expected head protects the branch from a slow writer too. */
const turnSeconds = 120

/**
 * Writes one version to its branch. Idempotent: repeated at any point it finds its own commit and only
 * records it, because the change is computed from the branch, never from memory.
 */
export const hydrateFiles =
  (worker: Deps) =>
  async (input: HydrateWorkspaceInput): Promise<void> =>
    gitActivity(worker, input.organizationId, async (deps) => {
      const { organizationId } = input
      const job = await loadHydration(deps, input)
      if (!job) return
      // A hydrate that began may have made its commit, so it is completed and recorded before the next.
      if (job.version.number < job.newest && !job.hydration.files)
        return endHydration(deps, { ...input, state: 'superseded' })
      if (job.connection?.status === 'initializing') throw beingPrepared(job.connection)
      await notingRefusals(deps, organizationId, {
        connection: job.connection,
        work: async () => writeInTurn(deps, input, job),
      })
    })

async function writeInTurn(
  deps: Deps,
  input: HydrateWorkspaceInput,
  job: LoadedHydration,
): Promise<void> {
  const { organizationId, hydrationId } = input
  const { connectionId } = job.hydration
  const claim = connectionId && (await openClaim(deps, { organizationId, connectionId }))
  if (!connectionId || !claim || !isSameBranch(job, claim))
    return endHydration(deps, { ...input, state: 'failed', reason: 'disconnected' })

  const turn = async (work: 'takeTurn' | 'endTurn') =>
    deps.store.tenant(organizationId, async (tenant) =>
      gitConnections(tenant)[work](connectionId, hydrationId, turnSeconds),
    )
  if (!(await turn('takeTurn'))) throw busy()
  try {
    const order = await deps.store.tenant(organizationId, async (tenant) =>
      gitHydrations(tenant).begin(job.hydration, listingOf(job)),
    )
    if (order === 'late') return await endHydration(deps, { ...input, state: 'superseded' })
    if (order === 'wait') throw busy()
    const result = await writeHydration(deps, { job, claim })
    if (result.state !== 'diverged') await withdrawProposals(deps, organizationId, { job, claim })
    await record(deps, input, { job, claim, result })
  } finally {
    await turn('endTurn')
  }
}

const busy = () =>
  new AppError('unavailable', 'Something else is being written to this branch.', {
    code: 'git_branch_busy',
    retryAfterSeconds: 2,
  })

/** A protected branch is prepared once somebody merges, so it is not checked every second. */
const beingPrepared = ({ statusReason }: { statusReason: string | null }) =>
  new AppError('unavailable', 'The repository is being prepared.', {
    code: 'git_being_prepared',
    retryAfterSeconds: statusReason === null ? 2 : 10,
  })

const isSameBranch = ({ hydration }: LoadedHydration, { owner }: OpenedClaim) =>
  hydration.repositoryId === owner.repository && hydration.branch === owner.branch

const listingOf = ({ desired }: LoadedHydration) =>
  Object.fromEntries(Object.entries(desired).map(([path, content]) => [path, blobId(content)]))

async function record(
  deps: Deps,
  { organizationId, hydrationId }: HydrateWorkspaceInput,
  { job, claim, result }: { job: LoadedHydration; claim: OpenedClaim; result: WrittenHydration },
): Promise<void> {
  if (result.state === 'diverged') {
    const text = JSON.stringify(result.differences.map(({ ours: _, ...stored }) => stored))
    const shown = JSON.stringify(await shownOf(result.differences))
    return endHydration(deps, {
      organizationId,
      hydrationId,
      state: 'diverged',
      reason: 'diverged',
      paths: result.differences.map(({ path }) => path),
      differences: deps.keyring.seal(placeOfDifferences(organizationId), text),
      shownDifferences: deps.keyring.seal(placeOfShown(organizationId, hydrationId), shown),
    })
  }
  const { workspace, version, desired, written } = job
  const files = listingOf(job)
  // Compared with what was written last, so that a retry that finds everything done still reports it.
  const pruned = [...(written[0]?.keys() ?? [])].filter((path) => desired[path] === undefined)
  await deps.store.tenant(organizationId, async (tenant) => {
    const ended = await gitHydrations(tenant).end(hydrationId, {
      ...result,
      files,
      reason: null,
    })
    if (!ended) return
    const audit = auditLog(tenant, systemActor)
    const target = { kind: 'workspace', id: workspace.id, label: workspace.name }
    const place = {
      repo: claim.repository.fullName,
      branch: claim.owner.branch,
      commit: result.commitSha,
    }
    await audit.record('git.repo_written', {
      target,
      detail: {
        ...place,
        configurationVersion: version.number,
        digest: version.filesSha256,
        files: Object.keys(files).length,
        pullRequest: result.state === 'proposed' ? result.pullRequestUrl : null,
      },
    })
    if (pruned.length > 0)
      await audit.record('git.repo_pruned', {
        target,
        detail: { ...place, count: pruned.length, paths: pruned.slice(0, 20) },
      })
  })
}

/** A comparison takes up to 20 ms: other work of this process goes on between two. */
async function shownOf(all: readonly Sides[]) {
  const differences: ShownDifference[] = []
  for (const shown of showDifferences(all)) {
    differences.push(shown)
    await others()
  }
  return { differences, omittedDifferences: all.length - differences.length }
}
