import { afterAll, beforeAll, expect, test } from 'vitest'
import { charge, storeCharges } from '../../harness/cost-rows.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'

let harness: Harness
beforeAll(async () => {
  harness = await createHarness()
})
afterAll(async () => harness.close())

const march = 'from=2026-03-01&to=2026-03-31'

async function organizationWith(...charges: Array<Parameters<typeof charge>[0]>) {
  const org = await harness.organization()
  await storeCharges(harness.deps.store.platform, org.id, charges.map(charge))
  return org.user('Viewer')
}

test('200: CSV by Accept or format, with formulas disarmed and amounts as numbers', async () => {
  const viewer = await organizationWith(
    { service: '=HYPERLINK("http://evil")', effective: '1.5', region: 'eu', subAccount: '@x' },
    { service: '+1', effective: '-2', currency: 'EUR', day: '2026-03-11' },
    { service: '-1', effective: '3', day: '2026-03-12', region: 'a,b\n"c"' },
  )
  const answer = await viewer.get(`/api/finops/cost?${march}&basis=effective`, {
    headers: { accept: 'text/csv' },
  })
  expect(answer.statusCode, answer.body).toBe(200)
  expect(answer.headers['content-type']).toBe('text/csv; charset=utf-8')
  expect(answer.body)
    .toBe(`day,provider,service,account,subAccount,region,workspace,amount,currency,basis
2026-03-10,aws,"'=HYPERLINK(""http://evil"")",upload,'@x,eu,,1.5,USD,effective
2026-03-11,aws,'+1,upload,,,,-2,EUR,effective
2026-03-12,aws,'-1,upload,,"a,b
""c""",,3,USD,effective
`)
  const byFormat = await viewer.get(`/api/finops/cost?${march}&format=csv&region=eu`)
  expect(byFormat.body.split('\n')).toHaveLength(3)
  const json = await viewer.get(`/api/finops/cost?${march}&format=json`, {
    headers: { accept: 'text/csv' },
  })
  expect(json.json().empty).toBe(false)
  expect(json.headers['etag']).not.toBe(answer.headers['etag'])
})

test('200: the currency of a bill is disarmed too', async () => {
  const viewer = await organizationWith({ currency: '=1+1', effective: '2' })
  const { body } = await viewer.get(`/api/finops/cost?${march}&format=csv`)
  expect(body.split('\n')[1]).toBe("2026-03-10,aws,Compute,upload,,,,2,'=1+1,effective")
})

test('200: CSV of an organization without cost is its header', async () => {
  const viewer = await organizationWith()
  const { statusCode, body } = await viewer.get(`/api/finops/cost?format=csv`)
  expect(statusCode).toBe(200)
  expect(body.split('\n')).toHaveLength(2)
})

test('503: a third download of one organization at once, and again 200 once they ended', async () => {
  const { store } = harness.deps
  const org = await harness.organization()
  const rows = 'select repeat(n::text, 200) from generate_series(1, 100000) n'
  const open = [await store.csv(org.id, rows), await store.csv(org.id, rows)]
  await expect(store.csv(org.id, rows)).rejects.toMatchObject({ code: 'downloads_busy' })
  const other = await harness.organization()
  open.push(await store.csv(other.id, rows))
  for (const one of open) one.destroy()
  await expect
    .poll(
      async () => (await (await org.user('Viewer')).get('/api/finops/cost?format=csv')).statusCode,
    )
    .toBe(200)
})

test('a download sees its organization alone, changes nothing, and ends in PostgreSQL with its reader', async () => {
  const { store } = harness.deps
  const org = await harness.organization()
  await harness.organization()
  const read = async (query: string) =>
    Buffer.concat(await (await store.csv(org.id, query)).toArray())
  expect((await read('select id from organizations')).toString()).toBe(`id\n${org.id}\n`)
  await expect(read(`update organizations set name = 'x' returning id`)).rejects.toThrow(
    /read-only/,
  )
  const rows = await store.csv(org.id, 'select pg_backend_pid(), generate_series(1, 100000000)')
  const [first] = (await rows.take(1).toArray()).map(String)
  const pid = Number(first?.split('\n')[1]?.split(',')[0])
  rows.destroy()
  const running = async () =>
    (
      await store.platform.raw(
        'select count(*)::integer as n from pg_stat_activity where pid = ?',
        [pid],
      )
    ).rows[0].n
  await expect.poll(running, { timeout: 10_000 }).toBe(0)
})
