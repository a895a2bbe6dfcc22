import { maskSecrets } from '../../domain/runs/mask-secrets.ts'
import { stripControls } from '../../domain/secrets/strip-controls.ts'
import type { FetchedCommit } from '../../gateways/git/fetch-commit.ts'
import { moveApplication } from '../../store/runs/move-application.ts'
import { logLines } from '../../store/runs/log-lines.ts'
import { sourceOfRun } from '../../store/runs/source-of-run.ts'
import type { ApplicationRunInput } from '../../workflows/pipelines/contract.ts'
import type { Deps } from '../deps.ts'
import { retryWhileUnavailable } from '../retry-while-unavailable.ts'
import { commitsSince, type CommitsSince } from '../../app/deployments/commits-since.ts'
import { releases } from '../../store/runs/releases.ts'
import { ownerOfApplication } from './application-owner.ts'
import { assertDeployable } from './assert-deployable.ts'
import { beginAttempt, type Attempt } from './begin-attempt.ts'
import { endAttempt } from './end-attempt.ts'
import { readManifest, type ReadManifest } from './read-manifest.ts'
import { withSource } from './with-source.ts'
import { withinBuildShare, type HandedBack } from './within-build-share.ts'

type Needed = Pick<Deps, 'store' | 'keyring' | 'outbound' | 'changes' | 'stopping' | 'builds'>

/**
 * Turns the branch of a run into a commit, by fetching it, and checks its manifest. Idempotent: the attempt
 * that moves the run on notes its commit, wherever the branch points by then. After that the activity does
 * nothing.
 */
export const fetchSource =
  (deps: Needed) =>
  async ({ runId }: ApplicationRunInput): Promise<HandedBack | undefined> => {
    const place = { organizationId: await ownerOfApplication(deps, runId), runId }
    return withinBuildShare(deps, place, async () => {
      const attempt = await beginAttempt(deps, place, 'source')
      if (!attempt) return
      try {
        await fetchOnce(deps, attempt)
      } catch (error) {
        await endAttempt(deps, attempt, error)
      } finally {
        attempt.watch.close()
        await attempt.mask.close()
      }
    })
  }

async function fetchOnce(deps: Needed, attempt: Attempt): Promise<void> {
  const { organizationId, runId, source, connection, log } = attempt
  await log.append([
    {
      level: 'info',
      line: `Fetching ${source.tag ?? source.branch ?? source.commitSha ?? 'the branch'} of ${source.repository ?? 'the repository'}.`,
    },
  ])
  const found = await withSource(deps, attempt, async (opened) => ({
    commit: opened.commit,
    branch: opened.branch,
    read: await readManifest(opened),
  }))
  assertDeployable(found.read.manifest, source)
  const { sha, message, author, committedAt } = found.commit
  const { branch } = found
  const since = await authorsSince(deps, attempt, sha)
  const { yaml: manifest, sha256: manifestSha256 } = found.read
  await retryWhileUnavailable(async () =>
    deps.store.tenant(organizationId, async (tenant) => {
      // Another attempt may have moved it on with its own commit, or somebody canceled it.
      if (!(await moveApplication(tenant, runId, { from: 'sourcing', to: 'building' }))) return
      await sourceOfRun(tenant, runId).note({
        sha,
        message,
        author,
        committedAt,
        connectionId: connection?.id ?? null,
        repository: source.repository,
        branch,
        manifest,
        manifestSha256,
      })
      if (since) await sourceOfRun(tenant, runId).noteCommits(since)
      await logLines(tenant).append(source.stageIds.source, linesOf(found.commit, found.read))
    }),
  )
}

/** Only of a run that is to be deployed: nobody approves another one. */
async function authorsSince(
  deps: Needed,
  { organizationId, source, connection }: Attempt,
  to: string,
): Promise<CommitsSince | undefined> {
  const { targetWorkspaceId, repository, pipelineId, ownBranch } = source
  if (targetWorkspaceId === null || !connection || repository === null) return undefined
  const good = await deps.store.tenant(organizationId, async (tenant) =>
    releases(tenant).lastGood(pipelineId, targetWorkspaceId),
  )
  const from = good?.commitSha ?? null
  // A run of a commit or tag names no branch.
  const branch = source.branch ?? ownBranch
  return commitsSince(deps, { organizationId, connection, repository, branch, from, to })
}

/** Written by whoever wrote the commit, so masked and without control characters. */
function linesOf(
  { sha, author, message, entries, submodules, pointers }: FetchedCommit,
  { warnings }: ReadManifest,
) {
  const mask = maskSecrets([])
  const [title = ''] = message.split('\n')
  const texts = [
    ['info', `Commit ${sha} by ${author}: ${title}`],
    ['info', entries === 1 ? '1 file.' : `${entries} files.`],
    ...submodules.map((path) => ['warn', `The submodule ${path} is not fetched.`] as const),
    ...pointers.map(
      (path) =>
        [
          'warn',
          `${path} is a pointer to Git LFS: the build sees the pointer, not the file.`,
        ] as const,
    ),
    ...warnings.map((warning) => ['warn', warning] as const),
  ] as const
  return texts.map(([level, text]) => ({ level, line: mask(stripControls(text), 2_000) }))
}
