import { afterAll, beforeAll, expect, test } from 'vitest'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { awsAccount } from './account-bodies.ts'

const path = '/api/cloud/accounts'
let harness: Harness
beforeAll(async () => {
  harness = await createHarness()
})
afterAll(async () => harness.close())

test('400: an unknown query parameter of a route that writes', async () => {
  const user = await (await harness.organization()).user('Owner')
  const { account } = (await user.post(path, awsAccount())).json()
  const one = `${path}/${account.id}`
  for (const answer of [
    await user.post(`${path}?detach=true`, awsAccount()),
    await user.patch(`${one}?name=x`, { name: 'new' }),
    await user.post(`${one}/sync?full=true`),
    await user.post(`${one}/validate?part=billing`),
    await user.delete(`${one}?force=true`),
  ])
    expect([answer.statusCode, answer.json().code]).toEqual([400, 'validation_failed'])
  expect((await user.get(path)).json().accounts).toMatchObject([{ name: account.name }])
})
