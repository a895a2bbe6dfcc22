import { join } from 'node:path'
import { conflict } from '../../domain/errors.ts'
import { fetchCommit, type FetchedCommit, type Revision } from '../../gateways/git/fetch-commit.ts'
import { sourceFolder } from '../../gateways/runner/protocol.ts'
import { workbenchFrom } from '../../gateways/sandbox/workbench-from.ts'
import type { BenchGrant, Workbench } from '../../gateways/sandbox/workbench.ts'
import type { GitConnection } from '../../store/git/git-connections.ts'
import type { Deps } from '../deps.ts'
import type { Attempt } from './begin-attempt.ts'
import { sourceRelay } from './source-relay.ts'

export type OpenedSource = {
  bench: Workbench
  /** For a runner to work in the same workbench. */
  grant: BenchGrant
  commit: FetchedCommit
  /** Null for a run of a commit or tag. */
  branch: string | null
  /** The folder that a build works in, with the manifest. */
  folder: string
}

/**
 * Fetches the source of a run into a workbench, and removes all of it afterwards: the commit that the run
 * has noted, else the head of its branch.
 */
export async function withSource<T>(
  deps: Pick<Deps, 'store' | 'keyring' | 'outbound' | 'builds'>,
  { organizationId, runId, source, connection: found, watch }: Attempt,
  use: (opened: OpenedSource) => Promise<T>,
): Promise<T> {
  const { connection, repository, branch, revision } = assertSource(source, found)
  const path = clonePath(connection.product, repository)
  const relay = sourceRelay(deps, organizationId, {
    connection,
    path,
    refs: [revision.commit ?? revision.tag ?? revision.branch ?? ''],
  })
  const loan = await deps.builds.sandbox.lend({
    label: `application-run-${runId}`,
    sizeBytes: deps.builds.folderBytes,
    gitRelay: relay.server,
  })
  try {
    const bench = workbenchFrom(loan.grant, async () => {})
    const commit = await fetchCommit(
      bench,
      {
        repository,
        url: `${connection.origin}/${path}.git`,
        ...revision,
        folder: sourceFolder,
      },
      {
        env: relay.environment(bench.gitUrl, {}),
        refusal: () => relay.refusal(),
        signal: watch.signal,
      },
    )
    // Before a step of the author's runs: it must read no repository by this connection.
    relay.close()
    const folder = join(sourceFolder, source.folder)
    return await use({ bench, grant: loan.grant, commit, branch, folder })
  } finally {
    relay.close()
    await loan.close({ lost: true })
  }
}

type From = {
  connection: GitConnection
  repository: string
  branch: string | null
  revision: Revision
}

function assertSource(
  { repository, branch, tag, commitSha }: Attempt['source'],
  connection: GitConnection | undefined,
): From {
  if (!connection || repository === null)
    throw conflict('source_unknown', 'The pipeline has no Git connection any more.')
  const from = (revision: Revision): From => ({ connection, repository, branch, revision })
  if (commitSha !== null) return from({ commit: commitSha, branch: null, tag: null })
  if (tag !== null) return from({ commit: null, branch: null, tag })
  if (branch === null) throw conflict('source_unknown', 'The run names no branch.')
  return from({ commit: null, branch, tag: null })
}

/** Data Center's clone addresses have `/scm` before the name that its API uses. */
const clonePath = (product: GitConnection['product'], repository: string): string =>
  product === 'bitbucket-data-center' ? `scm/${repository}` : repository
