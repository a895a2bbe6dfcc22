import { setTimeout as sleep } from 'node:timers/promises'
import type { TestUser } from '../test-user.ts'

export type TotalsWatch = {
  /** The different totals that a person saw, oldest first. */
  of(user: TestUser): number[]
  stop(): Promise<void>
}

/** Reads the cost of October 2026 again and again, and notes each total that an organization was shown. */
export function watchTotals(users: readonly TestUser[]): TotalsWatch {
  const seen = new Map(users.map((user) => [user, [] as number[]]))
  let isStopped = false
  const watching = (async () => {
    while (!isStopped) {
      for (const [user, totals] of seen) {
        const answer = await user.get('/api/finops/cost?from=2026-10-01&to=2026-10-31')
        const { total } = answer.json()
        if (answer.statusCode !== 200) throw new Error(answer.body)
        if (totals.at(-1) !== total) totals.push(total)
      }
      await sleep(200)
    }
  })()
  return {
    of: (user) => seen.get(user) ?? [],
    async stop() {
      isStopped = true
      await watching
    },
  }
}
