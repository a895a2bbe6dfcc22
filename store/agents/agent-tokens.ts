import { rotatedMinutes } from '../../domain/agents/agent-limits.ts'
import type { NewCredential } from '../../domain/access/credentials.ts'
import { unwrap, type Tenant } from '../driver/tenant.ts'

type AgentToken = Omit<NewCredential, 'plain'> & { name: string; expiresInDays?: number }

/** The tokens of agents. Only their hashes are stored. */
export function agentTokens(tenant: Tenant) {
  const { db, organizationId } = unwrap(tenant)
  const live = (agentId: number) =>
    db('tokens').where({ organizationId, agentId, kind: 'agt' }).whereNull('revokedAt')

  return {
    async add(agentId: number, { name, hash, prefix, expiresInDays }: AgentToken): Promise<void> {
      await db('tokens').insert({
        organizationId,
        kind: 'agt',
        agentId,
        name,
        hash,
        prefix,
        ...(expiresInDays !== undefined && {
          expiresAt: db.raw('now() + make_interval(days => ?)', [expiresInDays]),
        }),
      })
    },

    /**
     * A new token. Those before it work for another hour, so that the agent can be given the new one. It
     * ends when the one before it would have ended: a rotation makes no join last longer.
     */
    async rotate(agentId: number, token: AgentToken): Promise<void> {
      const before = await live(agentId).orderBy('id', 'desc').first('expiresAt')
      await live(agentId).update({
        expiresAt: db.raw(`least(expires_at, now() + make_interval(mins => ?))`, [rotatedMinutes]),
      })
      await this.add(agentId, token)
      await live(agentId)
        .where({ hash: token.hash })
        .update({ expiresAt: before?.expiresAt ?? null })
    },

    async revokeAll(agentId: number): Promise<void> {
      await live(agentId).update({ revokedAt: db.fn.now() })
    },
  }
}
