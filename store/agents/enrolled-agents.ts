import { takeOverHours, unseenMinutes } from '../../domain/agents/agent-limits.ts'
import { notFound } from '../../domain/errors.ts'
import { unwrap, type Tenant } from '../driver/tenant.ts'
import type { AgentLabels } from './agents.ts'

export type Join = { id: number; workspaceId: number; maxAgents: number; labels: AgentLabels }

/** The hosts that joins enroll. */
export function enrolledAgents(tenant: Tenant) {
  const { db, organizationId } = unwrap(tenant)
  const rows = () => db('agents').where({ organizationId }).whereNull('deletedAt')

  return {
    async join(id: number): Promise<Join> {
      const join = await rows()
        .where({ id, kind: 'join' })
        .first('id', 'workspaceId', 'labels', { maxAgents: 'joinMaxAgents' })
      if (!join) throw notFound()
      return join
    },

    async countOf(joinId: number): Promise<number> {
      const row = await rows().where({ joinId }).count({ count: '*' }).first()
      return Number(row?.count ?? 0)
    },

    /**
     * The host of this name, and whether it is lost: it was not heard of for a day, or it enrolled by this
     * join and never called. The row stays locked.
     */
    async findByName(
      { workspaceId, id: joinId }: Join,
      name: string,
    ): Promise<{ id: number; joinId: number | null; isLost: boolean } | undefined> {
      return rows()
        .where({ workspaceId, kind: 'host' })
        .whereRaw('lower(name) = lower(?)', [name])
        .forUpdate()
        .first('id', 'joinId', {
          isLost: db.raw(
            `case when last_seen_at is null
               then join_id is not distinct from ? and created_at < now() - make_interval(mins => ?)
               else last_seen_at < now() - make_interval(hours => ?) end`,
            [joinId, unseenMinutes, takeOverHours],
          ),
        })
    },

    /**
     * Another host takes over the name: nothing is known of it yet. It stays paused if it was. What the lost one was
     * given of a deployment that is over is asked for anew. With other labels it is not the host that deployments
     * missed, and their releases, with their variables, are not brought to it.
     */
    async takeOver(id: number, { id: joinId, labels }: Join): Promise<void> {
      await db.raw(missAgain, [organizationId, id])
      await db.raw(leaveMissed, [organizationId, id, JSON.stringify(labels)])
      await rows()
        .where({ id })
        .update({
          ...unknownHost,
          joinId,
          labels: JSON.stringify(labels),
          createdAt: db.fn.now(),
        })
    },
  }
}

/** A host that died while it caught up has the release still to come. */
const missAgain = `
  update deployment_hosts h set wanted = null, lease_until = null, fence = h.fence + 1, state = 'unreachable',
    caught_up_at = null
  from deployments d
  where h.organization_id = ? and h.agent_id = ? and h.wanted is not null
    and d.organization_id = h.organization_id and d.pipeline_run_id = h.pipeline_run_id
    and d.ended_at is not null`

const leaveMissed = `
  update deployment_hosts h set caught_up_at = now() from agents a
  where h.organization_id = ? and h.agent_id = ? and h.state = 'unreachable' and h.caught_up_at is null
    and a.organization_id = h.organization_id and a.id = h.agent_id and a.labels <> ?::jsonb`

const unknownHost = {
  outdated: false,
  version: null,
  os: null,
  arch: null,
  protocol: null,
  lastSeenAt: null,
  releaseDigest: null,
  releaseRunId: null,
}
