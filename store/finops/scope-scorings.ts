import { unwrap, type Tenant } from '../driver/tenant.ts'

/** When an organization's whole cost and tags were read to be scored, and whether they are to be scored anew. */
export function scopeScorings(tenant: Tenant) {
  const { db, organizationId } = unwrap(tenant)
  const row = () => db('cost_versions').where({ organizationId })

  return {
    /** The version of the cost. Ask before anything is read: what is read then is of this version or a later one. */
    async version(): Promise<string> {
      const [found] = await row().select(db.raw('version::text as version'))
      return found?.version ?? '0'
    },

    /**
     * Notes that scores of this version are written. False if those of a later one were: then do not commit. Call it
     * last: until the transaction ends, the row's lock keeps changes of the organization's cost waiting.
     */
    async note(version: string): Promise<boolean> {
      const noted = await row()
        .where('scopesVersion', '<=', version)
        .update({ scopesVersion: version })
      // Without a row there was never any cost.
      return noted === 1 || (await row().select('organizationId')).length === 0
    },

    /** Has all days scored anew by the task `score-scopes`, as of the end of this transaction. */
    async askAnew(): Promise<void> {
      await row().update({ scoreScopesAt: db.fn.now() })
    },

    /** Ends a claim (store/platform/scopes-to-score.ts), unless it was asked for once more meanwhile. */
    async endClaim(claimedUntil: string): Promise<void> {
      await row()
        .whereRaw('score_scopes_at = ?::timestamptz', [claimedUntil])
        .update({ scoreScopesAt: null })
    },
  }
}
