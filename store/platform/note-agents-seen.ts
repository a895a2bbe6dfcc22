import type { RunningRelease } from '../../domain/agents/state-after.ts'
import { namedRelease } from '../agents/named-release.ts'
import type { PlatformDb } from '../driver/connect.ts'

/** `release` is undefined where the agent does not say which one it runs. */
export type SeenAgent = { id: number; release: RunningRelease | null | undefined }

/**
 * Agents that were heard of since the last call, and which release runs there, of those that said so: one statement
 * for all of them. A row that is locked is being changed by its agent's own request, and two processes that note the
 * same agents do not deadlock.
 */
export async function noteAgentsSeen(db: PlatformDb, agents: readonly SeenAgent[]): Promise<void> {
  const said = agents.map(({ id, release }) => ({ id, isNamed: release !== undefined, ...release }))
  const { digest, runId } = namedRelease({
    isNamed: 's."isNamed"',
    digest: 's.digest',
    runId: 's."runId"',
  })
  await db.raw(
    `update agents a set last_seen_at = now(), outdated = false, release_digest = ${digest},
       release_run_id = ${runId}
     from jsonb_to_recordset(?::jsonb) 
       as s (id integer, "isNamed" boolean, digest text, "runId" integer)
     where a.id = s.id and a.id in (select f.id from agents f
       where f.id = any(?::integer[]) and f.deleted_at is null order by f.id for update skip locked)`,
    [JSON.stringify(said), agents.map(({ id }) => id)],
  )
}
