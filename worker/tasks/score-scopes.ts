import type { Deps } from '../../activities/deps.ts'
import { scoreScopes } from '../../app/finops/score-scopes.ts'
import { eachByItself } from '../../app/platform/each-by-itself.ts'
import { scopeScorings } from '../../store/finops/scope-scorings.ts'
import { claimScopesToScore } from '../../store/platform/scopes-to-score.ts'
import type { RecurringTask } from '../run-tasks.ts'

const maxOrganizations = 20
const task = 'score-scopes'
/** Before any bill. */
const firstOfAll = '2000-01-01'

/** Scores the whole cost and the tags anew of organizations that a source was removed from. */
export const scoreScopesTask = ({ store, log }: Pick<Deps, 'store' | 'log'>): RecurringTask => ({
  name: task,
  everyMs: 5_000,
  async run() {
    const claimed = await claimScopesToScore(store.platform, maxOrganizations)
    await eachByItself(claimed, {
      task,
      log,
      atOnce: 2,
      work: async ({ organizationId, claimedUntil }) => {
        await scoreScopes(store, { organizationId, from: firstOfAll })
        // Last: a worker that dies before it leaves the claim to the next one.
        await store.tenant(organizationId, async (tenant) =>
          scopeScorings(tenant).endClaim(claimedUntil),
        )
      },
    })
    return claimed.length === maxOrganizations ? 'more' : 'done'
  },
})
