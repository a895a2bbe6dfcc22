import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  scriptedAccount,
  type ScriptedAws,
  startScriptedAws,
} from '../../harness/clouds/scripted-aws.ts'
import { scriptedBucket } from '../../harness/clouds/scripted-s3.ts'
import { billingSources } from '../../../store/finops/billing-sources.ts'
import { testBills } from '../../harness/bills.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { awsKeys } from '../clouds/account-bodies.ts'

let aws: ScriptedAws
let harness: Harness
beforeAll(async () => {
  aws = await startScriptedAws()
  const { port } = aws.cloud
  const CC_PRIVATE_HOSTS = `cloud=127.0.0.1:${port},billing=127.0.0.1:${port}`
  harness = await createHarness({ env: { CC_PRIVATE_HOSTS } })
})
afterAll(async () => {
  await harness?.close()
  await aws?.cloud.stop()
})

test('409 export_changed: a suspect month that three newer ones follow has another export by now', async () => {
  const bucket = scriptedBucket('bills')
  for (const month of ['2026-06', '2026-07', '2026-08', '2026-09']) {
    const key = `costs/focus/data/BILLING_PERIOD=${month}/a.csv`
    bucket.put(key, month)
    const manifest = `costs/focus/metadata/BILLING_PERIOD=${month}/focus-Manifest.json`
    bucket.put(manifest, JSON.stringify({ dataFiles: [`s3://bills/${key}`] }))
  }
  const account = aws.cloud.answer
  aws.cloud.answer = (request) =>
    request.method === 'GET' && request.path !== '/' ? bucket.answer(request) : account(request)

  const org = await harness.organization()
  const owner = await org.user('Owner')
  const made = await owner.post('/api/cloud/accounts', {
    provider: 'aws',
    name: 'billed',
    accountId: scriptedAccount,
    credentials: awsKeys(),
    endpoint: aws.cloud.url,
    regions: ['us-east-1'],
    billing: { bucket: 'bills', prefix: 'costs', region: 'us-east-1', exportName: 'focus' },
  })
  expect(made.statusCode, made.body).toBe(201)
  const bills = testBills(harness.deps.store, org.id)
  const sourceId = await harness.deps.store.tenant(
    org.id,
    async (tenant) => (await billingSources(tenant).ensureForAccount(made.json().account.id)).id,
  )
  const { id } = await bills.reading(sourceId, [{}], '2026-06-01')
  await bills.ask(
    `update billing_slices set state = 'suspect', manifest_hash = 'of another export' where id = :id returning id`,
    { id },
  )
  const refused = await owner.post(`/api/finops/slices/${id}/accept`, {})
  expect([refused.statusCode, refused.json().code]).toEqual([409, 'export_changed'])
})
