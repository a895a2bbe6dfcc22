import { afterAll, beforeAll, expect, test } from 'vitest'
import { connectOwner } from '../../../store/driver/connect.ts'
import { loadCharges, type TestResourceCharge } from '../../harness/cost-rows.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'

let harness: Harness
let owner: ReturnType<typeof connectOwner>
beforeAll(async () => {
  harness = await createHarness()
  owner = connectOwner(harness.config.databaseUrl)
})
afterAll(async () => {
  await owner.destroy()
  await harness.close()
})

const march = 'from=2026-03-01&to=2026-03-31'
const held = 'arn:aws:s3:::held'
const free = 'arn:aws:s3:::free'
const charges: TestResourceCharge[] = [
  // Before its first owner, with it, and after it.
  { resourceId: held, day: '2026-03-05', effective: '1' },
  { resourceId: held, day: '2026-03-15', effective: '2' },
  { resourceId: held, day: '2026-03-25', effective: '4' },
  { resourceId: free, day: '2026-03-02', effective: '8', tags: { team: 'old' } },
  { resourceId: free, day: '2026-03-31', effective: '16', tags: { team: 'a' } },
  { resourceId: 'projects/"${x}"', day: '2026-03-31', effective: '3', service: 'Other' },
  { resourceId: null, day: '2026-03-31', effective: '64' },
]

async function organizationWithCost() {
  const org = await harness.organization()
  const db = harness.deps.store.platform
  const [first, second] = [await org.workspace(), await org.workspace()]
  const row = { organizationId: org.id, type: 'aws_s3_bucket', provider: 'aws', attributes: '{}' }
  await db('workspace_resources').insert([
    {
      ...row,
      workspaceId: first.id,
      cloudId: held,
      address: 'aws_s3_bucket.a',
      heldFrom: '2026-03-10',
      heldTo: '2026-03-20',
    },
    // Another one's of the same day that began earlier gives way.
    {
      ...row,
      workspaceId: second.id,
      cloudId: held,
      address: 'aws_s3_bucket.b',
      heldFrom: '2026-03-14',
      heldTo: '2026-03-15',
    },
  ])
  await loadCharges({ owner, db, organizationId: org.id }, charges)
  return { org, first, second, viewer: await org.user('Viewer') }
}

test('200: unmanaged resources by cost on the days that nobody held them, as the payload adds them up', async () => {
  const { viewer } = await organizationWithCost()
  const get = async (query: string) =>
    (await viewer.get(`/api/finops/unmanaged?${march}${query}`)).json()
  const found = await get('')
  expect(found).toMatchObject({ total: 31, currency: 'USD', unconverted: [], nextCursor: null })
  const { byOwner } = (await viewer.get(`/api/finops/cost?${march}`)).json()
  expect(byOwner.unmanaged).toBe(31)
  expect(found.resources).toEqual([
    {
      cloudId: free,
      resourceId: null,
      seenIn: ['bill'],
      provider: 'aws',
      service: 'Storage',
      region: null,
      name: free,
      tags: { team: 'a' },
      amount: 24,
      firstDay: '2026-03-02',
      lastDay: '2026-03-31',
      importBlock: expect.stringContaining('id = "free"'),
    },
    expect.objectContaining({ cloudId: held, amount: 4, firstDay: '2026-03-25' }),
    expect.objectContaining({
      amount: 3,
      importBlock: expect.stringMatching(/^# There is no rule/),
    }),
  ])
  expect((await get('&service=Other')).total).toBe(3)
  expect((await get('&tagKey=team&tagValue=a')).total).toBe(16)
  expect((await get('&workspaceId=' + (await organizationWithCost()).first.id)).code).toBe(
    'not_found',
  )
})

test('200: pages of one resource each, without a hole or a repetition', async () => {
  const { viewer } = await organizationWithCost()
  const amounts: number[] = []
  let cursor: string | null = ''
  while (cursor !== null) {
    const more: string = cursor && `&cursor=${cursor}`
    const page = (await viewer.get(`/api/finops/unmanaged?${march}&limit=1${more}`)).json()
    expect(page.total).toBe(31)
    amounts.push(...page.resources.map(({ amount }: { amount: number }) => amount))
    cursor = page.nextCursor
  }
  expect(amounts).toEqual([24, 4, 3])
})

test('200: a workspace’s cost by day, service and resource', async () => {
  const { viewer, first, second } = await organizationWithCost()
  const cost = async (id: number) => viewer.get(`/api/workspaces/${id}/cost?${march}`)
  const found = (await cost(first.id)).json()
  expect(found).toMatchObject({
    total: 1,
    byService: [{ provider: 'aws', service: 'Storage', amount: 1 }],
    resources: [{ address: 'aws_s3_bucket.a', cloudId: held, amount: 1 }],
  })
  expect(found.daily).toHaveLength(31)
  expect(found.daily[4].amount).toBe(1)
  expect((await cost(second.id)).json()).toMatchObject({
    total: 2,
    resources: [{ address: 'aws_s3_bucket.b', amount: 2 }],
  })
})

test('400 and 404: an unknown parameter; another organization’s workspace', async () => {
  const { viewer } = await organizationWithCost()
  const other = await organizationWithCost()
  expect((await viewer.get('/api/finops/unmanaged?providr=aws')).statusCode).toBe(400)
  expect((await viewer.get('/api/finops/unmanaged?cursor=1')).statusCode).toBe(400)
  expect((await viewer.get(`/api/workspaces/${other.first.id}/cost?from=x`)).statusCode).toBe(404)
  expect((await viewer.get(`/api/workspaces/${other.first.id}/cost`)).statusCode).toBe(404)
})
