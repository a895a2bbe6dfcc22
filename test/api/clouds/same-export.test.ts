import { afterAll, beforeAll, expect, test } from 'vitest'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { awsAccount, googleAccount } from './account-bodies.ts'

const path = '/api/cloud/accounts'
const billing = (fields: object = {}) => ({
  bucket: 'bills',
  prefix: 'focus/daily',
  region: 'eu-west-1',
  exportName: 'focus',
  ...fields,
})
const table = { projectId: 'bills-project', dataset: 'billing', table: 'focus' }

let harness: Harness
beforeAll(async () => {
  harness = await createHarness()
})
afterAll(async () => harness?.close())

const world = async () => {
  const user = await (await harness.organization()).user('SRE · Cloud Admin')
  const connect = async (body: object) => user.post(path, body)
  const made = await connect(awsAccount({ name: 'Payer', billing: billing() }))
  expect(made.statusCode, made.body).toBe(201)
  return { user, connect, id: made.json().account.id as number }
}
const refused = (id: number) => [
  409,
  { code: 'export_in_use', existingId: id, error: expect.stringContaining('Payer') },
]
const answered = (answer: { statusCode: number; json(): unknown }) => [
  answer.statusCode,
  answer.json(),
]

test('409 export_in_use: a second account that names the same export would count its cost twice', async () => {
  const { user, connect, id } = await world()
  for (const same of [billing(), billing({ prefix: '/focus/daily/' })])
    expect(answered(await connect(awsAccount({ billing: same })))).toMatchObject(refused(id))
  const other = await connect(awsAccount({ billing: billing({ exportName: 'other' }) }))
  expect(other.statusCode, other.body).toBe(201)
  const at = `${path}/${other.json().account.id}`
  expect(answered(await user.patch(at, { billing: billing() }))).toMatchObject(refused(id))
  // An account may repeat its own, and take the place of one that left it.
  expect((await user.patch(`${path}/${id}`, { billing: billing() })).statusCode).toBe(200)
  expect((await user.patch(`${path}/${id}`, { billing: null })).statusCode).toBe(200)
  expect((await user.patch(at, { billing: billing() })).statusCode).toBe(200)
})

test('201: the export of an account that was disconnected, and of another organization', async () => {
  const { user, connect, id } = await world()
  expect((await user.delete(`${path}/${id}`)).statusCode).toBe(200)
  expect((await connect(awsAccount({ billing: billing() }))).statusCode).toBe(201)
  await world()
})

test('409 export_in_use: a table is the same whatever bucket carries it', async () => {
  const { connect } = await world()
  const made = await connect(googleAccount({ name: 'Payer', billing: table }))
  const answer = await connect(googleAccount({ billing: { ...table, bucket: 'carries-it' } }))
  expect(answered(answer)).toMatchObject(refused(made.json().account.id))
})

test('201: buckets of one name in stores with other addresses; 409 for the address of another account', async () => {
  const { user, connect, id } = await world()
  const store = (host: string) => `https://${host}.example.com:9000`
  const first = await connect(awsAccount({ billing: billing({ endpoint: store('one') }) }))
  expect(first.statusCode, first.body).toBe(201)
  const ofFirst = [
    409,
    { code: 'export_in_use', existingId: first.json().account.id as number },
  ] as const
  const same = { region: 'us-east-1', endpoint: `${store('ONE')}/` }
  expect(answered(await connect(awsAccount({ billing: billing(same) })))).toMatchObject(ofFirst)
  const endpoints = { storage: store('one') }
  expect(answered(await connect(awsAccount({ billing: billing(), endpoints })))).toMatchObject(
    ofFirst,
  )
  const other = await connect(
    awsAccount({ billing: billing(), endpoints: { storage: store('two') } }),
  )
  expect(other.statusCode, other.body).toBe(201)
  const at = `${path}/${other.json().account.id}`
  expect(answered(await user.patch(at, { endpoints }))).toMatchObject(ofFirst)
  expect(answered(await user.patch(at, { endpoints: {} }))).toMatchObject(refused(id))
})

test("409 export_in_use: another region, and another of the cloud's own addresses, are ways to one bucket", async () => {
  const { connect, id } = await world()
  for (const way of [
    { region: 'us-east-1' },
    { endpoint: 'https://s3.us-east-1.amazonaws.com' },
    { endpoint: 'https://vpce-1.s3.us-east-1.vpce.amazonaws.com' },
  ])
    expect(answered(await connect(awsAccount({ billing: billing(way) })))).toMatchObject(
      refused(id),
    )
  const inChina = awsAccount({ billing: billing({ region: 'cn-north-1' }) })
  expect((await connect(inChina)).statusCode).toBe(201)
})

test('409 for all but one of several at once', async () => {
  const { connect } = await world()
  const bodies = Array.from({ length: 4 }, () =>
    awsAccount({ billing: billing({ exportName: 'at-once' }) }),
  )
  const answers = await Promise.all(bodies.map(connect))
  const codes = answers.map(({ statusCode }) => statusCode)
  expect(codes.toSorted((one, other) => one - other)).toEqual([201, 409, 409, 409])
})

test('400: a region that is none of Azure is refused, by its place in the list', async () => {
  const { connect } = await world()
  const answer = await connect({
    provider: 'azure',
    name: 'Subscription',
    accountId: crypto.randomUUID(),
    credentials: { tenantId: crypto.randomUUID(), clientId: crypto.randomUUID() },
    regions: ['westeurope', 'us-east-1'],
  })
  expect([answer.statusCode, answer.json()]).toMatchObject([
    400,
    { details: [{ path: 'regions.1' }] },
  ])
})
