import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { databaseLogins } from '../../gateways/keyring/database-logins.ts'
import { connectOwner, connectStore, type Store } from '../../store/driver/connect.ts'
import { createHarness, type Harness } from '../harness/create-harness.ts'

describe('connections that many ask at once', () => {
  let harness: Harness
  let store: Store
  beforeAll(async () => {
    harness = await createHarness()
    store = connectStore(databaseLogins(harness.config), 2)
  })
  afterAll(async () => {
    await store.close()
    await harness.close()
  })

  const text = 'select $1::integer as n, pg_backend_pid() as pid'
  const ask = async (n: number) =>
    store.lookUp<{ n: number; pid: number }>({ name: 'n', text, values: [n] })

  test('each gets its own answer, also where another among them fails', async () => {
    const asked = Array.from({ length: 200 }, async (_, n) =>
      n % 10 === 3 ? store.lookUp({ name: 'bad', text: 'select 1 / 0', values: [] }) : ask(n),
    )
    const answers = await Promise.allSettled(asked)
    for (const [n, answer] of answers.entries())
      if (n % 10 === 3)
        expect(answer).toMatchObject({ status: 'rejected', reason: { code: '22012' } })
      else expect(answer).toMatchObject({ value: [{ n }] })
  })

  test('who waits on a connection that is lost is told; the next has a new one', async () => {
    const pids = new Set(
      (await Promise.all([ask(1), ask(2)])).flatMap((rows) => rows.map(({ pid }) => pid)),
    )
    const slow = ['slow-1', 'slow-2'].map(async (name) =>
      store.lookUp({ name, text: 'select pg_sleep(30)', values: [] }),
    )
    const ended = Promise.allSettled(slow)
    const owner = connectOwner(harness.config.databaseUrl)
    await owner.raw('select pg_terminate_backend(pid) from unnest(?::integer[]) as pid', [
      [...pids],
    ])
    await owner.destroy()
    for (const answer of await ended)
      expect(answer).toMatchObject({ reason: { fault: 'unavailable' } })
    const [row] = await ask(7)
    expect(row).toMatchObject({ n: 7 })
    expect([...pids]).not.toContain(row?.pid)
  })
})
