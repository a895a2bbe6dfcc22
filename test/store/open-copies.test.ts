import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { databaseLogins } from '../../gateways/keyring/database-logins.ts'
import { openCopies, type CopyLimits } from '../../store/driver/open-copies.ts'
import { createHarness, type Harness } from '../harness/create-harness.ts'

describe('openCopies', () => {
  let harness: Harness
  let organizationId: number
  beforeAll(async () => {
    harness = await createHarness()
    organizationId = (await harness.organization()).id
  })
  afterAll(async () => harness.close())

  const limits: CopyLimits = { slowMs: 500, leastBytes: 4_000_000, maxMs: 20_000 }
  // Below `from`, PostgreSQL would store all of the series before the first row.
  const endless = `select repeat('x', 1000 + 0 * generate_series(1, 100000000))`

  async function copying(query: string, of: Partial<CopyLimits> = {}) {
    const { url } = databaseLogins(harness.config).cc_app
    const copies = openCopies(url, 'cc_app', { ...limits, ...of })
    const rows = await copies.csv(organizationId, query)
    const ended = new Promise<string>((resolve) => {
      rows.once('error', ({ message }) => resolve(message))
      rows.once('end', () => resolve('whole'))
    })
    return { rows, ended }
  }

  test('one whose reader takes nothing, or a little again and again, is ended', async () => {
    const still = await copying(endless)
    expect(await still.ended).toBe('The reader is too slow.')
    const slow = await copying(endless)
    let over = false
    void slow.ended.then(() => (over = true))
    while (!over) {
      slow.rows.read(1_000)
      await wait(10)
    }
    expect(await slow.ended).toBe('The reader is too slow.')
  })

  test('one whose reader waits for PostgreSQL is not, however long the first row takes', async () => {
    const { rows, ended } = await copying(
      `select repeat('x', 100), pg_sleep(0.3) from generate_series(1, 5)`,
    )
    rows.resume()
    expect(await ended).toBe('whole')
  })

  test('one that takes longer than the whole time is ended, also before its first row', async () => {
    const { rows, ended } = await copying('select pg_sleep(60)', { maxMs: 300 })
    rows.resume()
    expect(await ended).toMatch(/took too long|statement timeout/)
    const fast = await copying(endless, { maxMs: 300 })
    fast.rows.resume()
    expect(await fast.ended).toMatch(/took too long|statement timeout/)
  })
})
