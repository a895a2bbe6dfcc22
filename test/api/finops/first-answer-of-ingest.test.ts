import { afterAll, beforeAll, expect, test } from 'vitest'
import { connectedAccount } from '../../harness/clouds/cloud-rows.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'

let harness: Harness
beforeAll(async () => {
  harness = await createHarness()
})
afterAll(async () => harness.close())

test('202: a repeated key gives the first answer, whatever became of the ingest since', async () => {
  const org = await harness.organization()
  const accountId = await connectedAccount(harness, org.id)
  await harness.deps.store
    .platform('cloud_accounts')
    .where({ id: accountId })
    .update({ status: 'healthy', billing: Buffer.from('sealed') })
  const [owner, other] = [await org.user('Owner'), await org.user('Owner')]
  const ask = async (user = owner, key = 'once') =>
    user.post('/api/finops/ingest', {}, { headers: { 'idempotency-key': key } })
  // No worker ends it within the wait. Both wait for one ingest, and are answered alike.
  const [first, second] = await Promise.all([ask(), ask()])
  expect(first.statusCode, first.body).toBe(202)
  expect(first.json()).toMatchObject({ ok: true, ingest: { state: 'running', endedAt: null } })
  expect([second.statusCode, second.json()]).toEqual([202, first.json()])

  const { id } = first.json().ingest
  const ended = { state: 'succeeded', endedAt: new Date() }
  await harness.deps.store.platform('billing_ingests').where({ id }).update(ended)
  const repeated = await ask()
  expect([repeated.statusCode, repeated.json()]).toEqual([202, first.json()])
  // A key is of its person.
  expect((await owner.get(`/api/finops/ingests/${id}`)).json().ingest.state).toBe('succeeded')
  const foreign = await ask(other)
  expect(foreign.json().ingest.id).not.toBe(id)
})
