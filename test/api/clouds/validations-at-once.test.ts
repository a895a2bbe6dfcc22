import { afterAll, beforeAll, expect, test } from 'vitest'
import { startScriptedCloud, type ScriptedCloud } from '../../harness/clouds/scripted-cloud.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { awsAccount, awsKeys } from './account-bodies.ts'

let harness: Harness
let cloud: ScriptedCloud
beforeAll(async () => {
  cloud = await startScriptedCloud()
  harness = await createHarness({ env: { CC_PRIVATE_HOSTS: `cloud=127.0.0.1:${cloud.port}` } })
})
afterAll(async () => {
  await harness.close()
  await cloud.stop()
})

test('429 too_many_validations: past four of an organization at once, and not for another', async () => {
  const answered = Promise.withResolvers<void>()
  cloud.answer = async () => answered.promise.then(() => ({ status: 404 }))
  const connect = async () => {
    const user = await (await harness.organization()).user('Owner')
    const body = awsAccount({ credentials: awsKeys(), endpoint: cloud.url })
    const { account } = (await user.post('/api/cloud/accounts', body)).json()
    return async () => user.post(`/api/cloud/accounts/${account.id}/validate`)
  }
  const [validate, another] = [await connect(), await connect()]
  const waiting = Array.from({ length: 5 }, validate)
  const refused = await Promise.race(waiting)
  expect([refused.statusCode, refused.json().code]).toEqual([429, 'too_many_validations'])
  expect(refused.headers['retry-after']).toBe('10')
  const other = another()
  answered.resolve()
  const statuses = (await Promise.all(waiting)).map(({ statusCode }) => statusCode)
  expect(statuses.toSorted((a, b) => a - b)).toEqual([429, 503, 503, 503, 503])
  expect((await other).statusCode).toBe(503)
  // The places are free again.
  expect((await validate()).statusCode).toBe(503)
})
