import { Context } from '@temporalio/activity'
import { isLive } from '../../domain/pipelines/application-state.ts'
import { AppError, conflict } from '../../domain/errors.ts'
import { maskSecrets } from '../../domain/runs/mask-secrets.ts'
import { stripControls } from '../../domain/secrets/strip-controls.ts'
import { fetchCommit, type FetchedCommit } from '../../gateways/git/fetch-commit.ts'
import type { Benches } from '../../gateways/sandbox/workbench.ts'
import { gitConnections, type GitConnection } from '../../store/git/git-connections.ts'
import { organizationOfApplicationRun } from '../../store/platform/run-owners.ts'
import { sourceOfRun, type SourceOfRun } from '../../store/runs/source-of-run.ts'
import type { ApplicationRunInput } from '../../workflows/pipelines/contract.ts'
import type { Deps } from '../deps.ts'
import { openStageLog } from '../runs/stage-log.ts'
import { sourceRelay } from './source-relay.ts'

type Needed = Pick<Deps, 'store' | 'keyring' | 'outbound' | 'stopping'> & {
  /** Workbenches whose folders lie on a disk: a source may be larger than memory. */
  builds: Benches
}

const beatMs = 3_000
const folderBytes = 10 * 1024 ** 3

/**
 * Turns the branch of a run into a commit, by fetching it. Idempotent: the first attempt that fetched
 * notes the commit, and every later one fetches that commit, wherever the branch points by now. After
 * it was noted, the activity does nothing.
 */
export const fetchSource =
  (deps: Needed) =>
  async ({ runId }: ApplicationRunInput): Promise<void> => {
    const organizationId = await organizationOfApplicationRun(deps.store, runId)
    if (organizationId === undefined) throw new AppError('not_found', 'The run is gone')
    const { source, connection } = await deps.store.tenant(organizationId, async (tenant) => {
      const found = await sourceOfRun(tenant, runId).get()
      return {
        source: found,
        connection:
          found.connectionId === null
            ? undefined
            : await gitConnections(tenant).find(found.connectionId),
      }
    })
    if (!isLive(source.phase) || source.commitSha !== null) return
    const from = assertSource(source, connection)
    const { stageId } = source
    const log = openStageLog({ store: deps.store, organizationId, stageId })
    await log.append([{ level: 'info', line: `Fetching ${from.branch} of ${from.repository}.` }])
    const commit = await fetched(deps, { organizationId, runId, ...from })
    const noted = await deps.store.tenant(organizationId, async (tenant) => {
      const { sha, message, author, committedAt } = commit
      return sourceOfRun(tenant, runId).noteCommit(
        { sha, message, author, committedAt },
        from.branch,
      )
    })
    // Another attempt may have noted its commit meanwhile, and said so.
    if (noted === commit.sha) await log.append(linesOf(commit))
  }

type From = { connection: GitConnection; repository: string; branch: string }

function assertSource(source: SourceOfRun, connection: GitConnection | undefined): From {
  const { repository, branch } = source
  if (!connection || repository === null)
    throw conflict('source_unknown', 'The pipeline has no Git connection any more.')
  if (branch === null) throw conflict('source_unknown', 'The run names no branch.')
  return { connection, repository, branch }
}

async function fetched(
  deps: Needed,
  {
    organizationId,
    runId,
    connection,
    repository,
    branch,
  }: From & {
    organizationId: number
    runId: number
  },
): Promise<FetchedCommit> {
  const context = Context.current()
  const beat = setInterval(() => context.heartbeat(), beatMs)
  const path = clonePath(connection.product, repository)
  const relay = sourceRelay(deps, organizationId, { connection, path, refs: [branch] })
  try {
    const bench = await deps.builds.open({
      label: `application-run-${runId}`,
      sizeBytes: folderBytes,
      gitRelay: relay.server,
    })
    try {
      return await fetchCommit(
        bench,
        {
          repository,
          url: `${connection.origin}/${path}.git`,
          branch,
          commit: null,
          folder: 'source',
        },
        {
          env: relay.environment(bench.gitUrl, {}),
          refusal: () => relay.refusal(),
          signal: AbortSignal.any([deps.stopping, context.cancellationSignal]),
        },
      )
    } finally {
      await bench.close()
    }
  } finally {
    clearInterval(beat)
    relay.close()
  }
}

/** Data Center's clone addresses have `/scm` before the name that its API uses. */
const clonePath = (product: GitConnection['product'], repository: string): string =>
  product === 'bitbucket-data-center' ? `scm/${repository}` : repository

/** Written by whoever wrote the commit, so masked and without control characters. */
function linesOf({ sha, author, message, entries, submodules, pointers }: FetchedCommit) {
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
  ] as const
  return texts.map(([level, text]) => ({ level, line: mask(stripControls(text), 2_000) }))
}
