import { afterAll, beforeAll, expect, test } from 'vitest'
import { connectedCloud } from '../../harness/clouds/connected-cloud.ts'
import {
  regions,
  scriptedAccount,
  startScriptedAws,
  xml,
  type ScriptedAws,
} from '../../harness/clouds/scripted-aws.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { eventually } from '../../harness/eventually.ts'
import type { TestUser } from '../../harness/test-user.ts'
import { awsKeys } from '../../api/clouds/account-bodies.ts'

let harness: Harness
let honest: ScriptedAws
let silent: ScriptedAws[]
beforeAll(async () => {
  honest = await startScriptedAws()
  silent = [await startScriptedAws(), await startScriptedAws()]
  for (const { handlers } of [honest, ...silent])
    handlers['DescribeRegions'] = () =>
      regions(Object.fromEntries(names.map((name) => [name, true])))
  const open = [honest, ...silent].map(({ cloud }) => `cloud=127.0.0.1:${cloud.port}`)
  harness = await createHarness({ worker: true, env: { CC_PRIVATE_HOSTS: open.join(',') } })
})
afterAll(async () => {
  await harness?.close()
  for (const aws of [honest, ...(silent ?? [])]) await aws?.cloud.stop()
})

const names = ['us-east-1', 'us-east-2', 'us-west-1', 'us-west-2']
const body = (aws: ScriptedAws, accountId: string) => ({
  provider: 'aws',
  name: `Account ${accountId}`,
  accountId,
  credentials: awsKeys(),
  endpoint: aws.cloud.url,
  regions: names,
})

/** Lists nothing more until `gate` is resolved. Returns how many requests wait for it. */
function silence(aws: ScriptedAws, gate: Promise<void>): () => number {
  const usual = aws.cloud.answer
  let waiting = 0
  aws.cloud.answer = async (request) => {
    if (String(request.headers['x-amz-target']).endsWith('GetResources')) {
      waiting += 1
      await gate
    }
    return usual(request)
  }
  return () => waiting
}

const newestSync = async (user: TestUser, path: string) =>
  (await user.get(`${path}/syncs`)).json().syncs[0]
const ended = async (user: TestUser, path: string) =>
  eventually(async () => {
    const sync = await newestSync(user, path)
    return sync && sync.state !== 'running' && sync
  })

test('two accounts whose clouds are silent leave slots of the worker to another organization', async () => {
  const owner = await (await harness.organization()).user('Owner')
  const paths: string[] = []
  for (const [at, aws] of silent.entries()) {
    const id = String(at + 1).repeat(12)
    aws.handlers['GetCallerIdentity'] = () => xml('GetCallerIdentity', `<Account>${id}</Account>`)
    const made = await owner.post('/api/cloud/accounts', body(aws, id))
    expect(made.statusCode, made.body).toBe(201)
    paths.push(`/api/cloud/accounts/${made.json().account.id}`)
  }
  for (const path of paths) expect(await ended(owner, path)).toMatchObject({ state: 'succeeded' })
  const other = await connectedCloud(harness, body(honest, scriptedAccount))
  expect(await other.first()).toMatchObject({ state: 'succeeded' })

  // Eight looks, which are as many as the worker has slots.
  const gate = Promise.withResolvers<void>()
  const waiting = silent.map((aws) => silence(aws, gate.promise))
  try {
    for (const path of paths)
      expect((await owner.post(`${path}/sync`)).statusCode).toBeLessThan(300)
    await eventually(async () => waiting.reduce((sum, count) => sum + count(), 0) >= 4)
    expect(await other.sync()).toMatchObject({ state: 'succeeded' })
    for (const path of paths) expect((await newestSync(owner, path)).state).toBe('running')
  } finally {
    gate.resolve()
  }
  // What was handed back is looked at as well.
  for (const path of paths) expect(await ended(owner, path)).toMatchObject({ state: 'succeeded' })
}, 240_000)
