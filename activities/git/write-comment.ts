import { unavailable } from '../../domain/errors.ts'
import { pullRequestComment } from '../../domain/git/pull-request-comment.ts'
import { publicState } from '../../domain/runs/run-state.ts'
import { openHost } from '../../app/git/open-host.ts'
import type { GitHost } from '../../gateways/git/git-host.ts'
import { outboundUntil } from '../../gateways/outbound/outbound-until.ts'
import { gitConnections, type GitConnection } from '../../store/git/git-connections.ts'
import { gitPullRequests, type GitPullRequest } from '../../store/git/git-pull-requests.ts'
import { namesOfWorkspaces } from '../../store/workspaces/names-of-workspaces.ts'
import type { WriteCommentInput } from '../../workflows/git/contract.ts'
import type { Deps } from '../deps.ts'
import { gitActivity } from './git-activity.ts'
import { notingRefusals } from './note-refusal.ts'

/** The lease of a writer on the comment. */
const turnSeconds = 60
/** What it asks of the host ends before its lease does: a second writer would find no comment, and add one. */
const maxAskMs = 55_000

/**
 * Writes the one comment on a pull request from the store's current state, so the last of several writers
 * writes the newest. A comment whose id was lost with its writer is found by its marker.
 */
export const writeComment =
  (worker: Deps) =>
  async (input: WriteCommentInput): Promise<void> =>
    gitActivity(worker, input.organizationId, async (deps) => {
      const { organizationId, pullRequestId } = input
      const outbound = outboundUntil(deps.outbound, AbortSignal.timeout(maxAskMs))
      const until = await deps.store.tenant(organizationId, async (tenant) =>
        gitPullRequests(tenant).takeTurn(pullRequestId, turnSeconds),
      )
      if (until === undefined)
        throw unavailable('git_comment_busy', 'Somebody else writes this comment.')
      try {
        await write({ ...deps, outbound }, input, until)
      } finally {
        await deps.store.tenant(organizationId, async (tenant) =>
          gitPullRequests(tenant).endTurn(pullRequestId, until),
        )
      }
    })

async function write(deps: Deps, input: WriteCommentInput, until: string): Promise<void> {
  const { organizationId } = input
  const found = await load(deps, input)
  if (!found) return
  const { pull, connection, host, body, marker } = found
  const { repo, number } = pull
  const id = await notingRefusals(deps, organizationId, {
    connection,
    async work() {
      const known = pull.commentId ?? (await host.findComment(repo, { number, words: marker }))
      return (
        (await host.writeComment(repo, { number, id: known, body })) ??
        // Somebody deleted it.
        (await host.writeComment(repo, { number, id: null, body }))
      )
    },
  })
  await deps.store.tenant(organizationId, async (tenant) =>
    gitPullRequests(tenant).setComment(pull.id, until, id),
  )
}

type Loaded = {
  pull: GitPullRequest
  connection: GitConnection
  host: GitHost
  body: string
  marker: string
}

async function load(
  { store, keyring, outbound, publicOrigin }: Deps,
  { organizationId, pullRequestId }: WriteCommentInput,
): Promise<Loaded | undefined> {
  const found = await store.tenant(organizationId, async (tenant) => {
    const pulls = gitPullRequests(tenant)
    const pull = await pulls.find(pullRequestId)
    const connection = pull?.connectionId && (await gitConnections(tenant).find(pull.connectionId))
    if (!pull || !connection) return undefined
    const planned = await pulls.runs(pull.id)
    const names = await namesOfWorkspaces(tenant, Object.keys(pull.faults).map(Number))
    return { pull, connection, planned, names }
  })
  if (!found) return undefined
  const { pull, connection, planned, names } = found
  const about = JSON.stringify([organizationId, connection.id, pull.repo, pull.number])
  // A MAC, so that nobody can write a comment with it in advance and have it taken for ours.
  const mac = keyring.mac('git pull request', about).toString('hex').slice(0, 40)
  const marker = `<!-- cloud-control ${mac} -->`
  const body = pullRequestComment(
    marker,
    planned.runs.map(
      ({ workspaceId, workspaceName, commitSha, workspaceRunId, phase, ...run }) => ({
        ...run,
        name: workspaceName,
        commit: commitSha,
        state: publicState(phase),
        url: `${publicOrigin}/workspaces/${workspaceId}/runs/${workspaceRunId}`,
      }),
    ),
    {
      unplanned: [...names.values()].map(({ id, name }) => ({
        name,
        fault: pull.faults[String(id)] ?? '',
      })),
      more: planned.more,
    },
  )
  const host = openHost({ keyring, outbound }, organizationId, connection)
  return { pull, connection, host, body, marker }
}
