import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startMoto, type Moto } from '../../harness/clouds/moto.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { eventually } from '../../harness/eventually.ts'
import { endedIngest } from '../../harness/finops/bill-form.ts'
import { focusCsv } from '../../harness/finops/focus-csv.ts'
import type { TestUser } from '../../harness/test-user.ts'
import { hasPython } from '../../peers/python-tools.ts'

const rights = ['s3:ListBucket', 's3:GetObject', 'tag:GetResources', 'ec2:DescribeRegions']

/** An AWS account whose bill is in S3, as moto has it, from its connection to the cost in the tables. */
describe.skipIf(!hasPython())('an account with billing settings', () => {
  let moto: Moto
  let harness: Harness
  let owner: TestUser
  const authorization =
    'AWS4-HMAC-SHA256 Credential=setup/20261122/us-east-1/s3/aws4_request, SignedHeaders=host, Signature=none'
  const put = async (path: string, body?: string) => {
    const sent = { method: 'PUT', headers: { authorization }, ...(body !== undefined && { body }) }
    const { ok } = await globalThis.fetch(`${moto.url}/${path}`, sent)
    if (!ok) throw new Error(`not put: ${path}`)
  }
  const putMonth = async (month: string, content: string) =>
    moto.setUp(async () => {
      const root = `costs/focus/data/BILLING_PERIOD=${month}`
      await put(`bills/${root}/focus-00001.csv`, content)
      const manifest = JSON.stringify({ dataFiles: [`s3://bills/${root}/focus-00001.csv`] })
      await put(`bills/costs/focus/metadata/BILLING_PERIOD=${month}/focus-Manifest.json`, manifest)
    })
  beforeAll(async () => {
    moto = await startMoto()
    await moto.setUp(async () => put('bills'))
    await putMonth('2026-09', focusCsv('2026-09', [1, 2, 3]))
    await putMonth('2026-10', focusCsv('2026-10', [4, 5]))
    const hosts = `cloud=127.0.0.1:${moto.port},billing=127.0.0.1:${moto.port}`
    harness = await createHarness({ worker: true, env: { CC_PRIVATE_HOSTS: hosts } })
    owner = await (await harness.organization()).user('Owner')
    // The first run installs moto.
  }, 600_000)
  afterAll(async () => {
    await harness?.close()
    await moto?.stop()
  })

  test('is read by itself once it is connected; restated months alone are read again', async () => {
    let keys = { accessKeyId: '', secretAccessKey: '' }
    await moto.setUp(async () => {
      keys = await moto.user('billing', rights)
    })
    const made = await owner.post('/api/cloud/accounts', {
      provider: 'aws',
      name: 'billed',
      accountId: '123456789012',
      credentials: keys,
      endpoint: moto.url,
      regions: ['us-east-1'],
      billing: { bucket: 'bills', prefix: 'costs', region: 'us-east-1', exportName: 'focus' },
    })
    expect(made.statusCode, made.body).toBe(201)
    const url = `/api/cloud/accounts/${made.json().account.id}`
    const account = async () => (await owner.get(url)).json().account
    const ingest = async () =>
      endedIngest(owner, (await owner.post('/api/finops/ingest', {})).json().ingest.id)
    const first = await eventually(
      async () => {
        const shown = await account()
        return shown.ingest && shown.ingest.state !== 'running' && shown
      },
      { looks: 3_000 },
    )
    expect(first.ingest).toMatchObject({ trigger: 'connect', state: 'succeeded', rowsRead: 5 })
    expect(Date.parse(first.nextIngestAt)).toBeGreaterThan(Date.now())
    expect(first.completeThrough).toBe('2026-10-02')

    const unchanged = await ingest()
    expect(unchanged).toMatchObject({ state: 'succeeded', recordsUpserted: 0 })
    expect(unchanged.accounts).toMatchObject([{ accountId: first.id, state: 'unchanged' }])

    await putMonth('2026-10', focusCsv('2026-10', [4, 6]))
    const restated = await ingest()
    expect(restated).toMatchObject({ state: 'succeeded', recordsUpserted: 1, recordsRejected: 0 })
    const states = restated.accounts[0].slices.map(({ state }: { state: string }) => state)
    expect(states).toEqual(['unchanged', 'loaded'])

    // Shrinks, and is another one again before a person accepts it.
    await putMonth('2026-09', focusCsv('2026-09', [1]))
    const shrunk = await ingest()
    const suspect = shrunk.accounts[0].slices.find(
      (one: { state: string }) => one.state === 'suspect',
    )
    await putMonth('2026-09', focusCsv('2026-09', [1, 2]))
    const refused = await owner.post(`/api/finops/slices/${suspect.id}/accept`, {})
    expect([refused.statusCode, refused.json().code]).toEqual([409, 'export_changed'])
  }, 300_000)
})
