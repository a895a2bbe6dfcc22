import type { Role } from '../../domain/access/roles.ts'
import { conflict, notFound } from '../../domain/errors.ts'
import type { Db } from '../connect.ts'

export const liveTokensPerUser = 20

export type ApiToken = {
  id: number
  name: string
  prefix: string
  role: Role
  createdAt: Date
  expiresAt: Date
  lastUsedAt: Date | null
}

type NewApiToken = {
  name: string
  role: Role
  expiresInDays: number
  hash: Buffer
  prefix: string
}

/** Bearer tokens of one organization, known by their hash alone. */
export function tokens(db: Db, organizationId: number) {
  const columns = ['id', 'name', 'prefix', 'role', 'createdAt', 'expiresAt', 'lastUsedAt']
  const live = (userId: number) =>
    db('tokens')
      .where({ organizationId, userId, kind: 'pat' })
      .whereNull('revokedAt')
      .where('expiresAt', '>', db.fn.now())

  return {
    async createApiToken(
      userId: number,
      { expiresInDays, ...token }: NewApiToken,
    ): Promise<ApiToken> {
      // The owner's row is the lock that keeps two requests at once from both being the twentieth.
      await db('users').where({ organizationId, id: userId }).forUpdate().first('id')
      const alive = await live(userId).select('id')
      if (alive.length >= liveTokensPerUser)
        throw conflict('token_limit', `At most ${liveTokensPerUser} live API tokens a person.`)
      const [row] = await db('tokens')
        .insert({
          organizationId,
          userId,
          kind: 'pat',
          ...token,
          expiresAt: db.raw('now() + make_interval(days => ?)', [expiresInDays]),
        })
        .returning(columns)
      return row
    },

    async listOf(userId: number): Promise<ApiToken[]> {
      return live(userId).select(columns).orderBy('id', 'desc')
    },

    async revokeOf(userId: number, id: number): Promise<ApiToken> {
      const [row] = await live(userId)
        .where({ id })
        .update({ revokedAt: db.fn.now() })
        .returning(columns)
      if (!row) throw notFound()
      return row
    },

    /** One phase of one run, under one fencing number (runs.md, Sandbox). */
    async createRunToken(token: {
      workspaceRunId: number
      runPhase: 'plan' | 'apply'
      fence: number
      hash: Buffer
      prefix: string
      hours: number
    }): Promise<void> {
      const { hours, ...columns } = token
      await db('tokens').insert({
        organizationId,
        kind: 'run',
        name: `run ${token.workspaceRunId} ${token.runPhase}`,
        ...columns,
        expiresAt: db.raw('now() + make_interval(hours => ?)', [hours]),
      })
    },

    async revokeOfRun(workspaceRunId: number): Promise<void> {
      await db('tokens')
        .where({ organizationId, workspaceRunId, kind: 'run' })
        .whereNull('revokedAt')
        .update({ revokedAt: db.fn.now() })
    },
  }
}
