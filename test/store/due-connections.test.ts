import { randomInt } from 'node:crypto'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { dueConnections } from '../../store/platform/due-connections.ts'
import { createHarness, type Harness } from '../harness/create-harness.ts'

let harness: Harness
beforeAll(async () => {
  harness = await createHarness({ mail: 'unsent' })
})
afterAll(async () => harness.close())

test('a connection that another worker claimed since the statement began is not claimed again', async () => {
  const { platform } = harness.deps.store
  const { id: organizationId } = await harness.organization()
  const row = {
    organizationId,
    provider: 'gitlab',
    product: 'gitlab',
    host: 'gitlab.example',
    origin: 'https://gitlab.example',
    token: Buffer.from('sealed'),
    repoType: 'infra',
    status: 'healthy',
    checkedAt: new Date(Date.now() - 60 * 60_000),
  }
  const made = await platform('git_connections').insert([row, row]).returning('id')
  const gate = randomInt(1_000_000_000)
  const isWaiting = async () => {
    const { rows } = await platform.raw(
      `select from pg_locks where locktype = 'advisory' and objid = ? and not granted`,
      [gate],
    )
    return rows.length > 0
  }
  let late: ReturnType<typeof dueConnections> | undefined
  const first = await platform.transaction(async (open) => {
    await open.raw('select pg_advisory_xact_lock(?)', [gate])
    late = platform.transaction(async (trx) => {
      // Its statement has its snapshot when it waits here, before it locks a row.
      await trx.raw(`create temp view organizations as select o.* from public.organizations o,
        (select pg_advisory_xact_lock_shared(${gate})) held`)
      const claimed = await dueConnections(trx, 20)
      await trx.raw('drop view pg_temp.organizations')
      return claimed
    })
    await vi.waitFor(async () => expect(await isWaiting()).toBe(true))
    return dueConnections(platform, 20)
  })
  const ids = made.map((one: { id: number }) => one.id)
  expect(first.map(({ connectionId }) => connectionId).toSorted((a, b) => a - b)).toEqual(ids)
  expect(await late).toEqual([])
})
