import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { eventually } from '../../harness/eventually.ts'
import { ingestedBill, uploadBill } from '../../harness/finops/bill-form.ts'
import { focusCsv } from '../../harness/finops/focus-csv.ts'
import type { TestOrganization } from '../../harness/test-organization.ts'
import type { TestUser } from '../../harness/test-user.ts'

let harness: Harness
let org: TestOrganization
let owner: TestUser
beforeAll(async () => {
  harness = await createHarness({ worker: true, env: { CC_UPLOAD_MEBIBYTES: '2' } })
})
afterAll(async () => harness.close())
beforeEach(async () => {
  org = await harness.organization()
  owner = await org.user('Owner')
})

const csv = (content: string) => [{ name: 'bill.csv', content }]
const rowsOf = async (table: string) =>
  harness.deps.store.platform(table).where({ organizationId: org.id })
const billed = async () => {
  const { rows } = await harness.deps.store.platform.raw(
    `select sum(d.billed)::float8 as billed from cost_daily d
     join billing_slices s on s.organization_id = d.organization_id and s.id = d.slice_id and s.is_current
     join billing_sources b on b.organization_id = s.organization_id and b.id = s.source_id
     where d.organization_id = ? and b.removed_at is null`,
    [org.id],
  )
  return rows[0].billed
}

describe('POST /api/finops/uploads', () => {
  test('200: the cost of a bill is there, and the same bill again changes nothing', async () => {
    const content = focusCsv('2026-09', [1.5, 2.25, 1e-10])
    const ingest = await ingestedBill(owner, 'data-center', csv(content))
    expect(ingest).toMatchObject({ trigger: 'upload', state: 'succeeded', rowsRead: 3 })
    expect(ingest).toMatchObject({ recordsUpserted: 3, recordsRejected: 0 })
    expect(ingest.accounts).toMatchObject([
      { accountId: null, source: 'data-center', name: 'data-center', state: 'loaded' },
    ])
    const [slice] = ingest.accounts[0].slices
    expect(slice).toMatchObject({ period: '2026-09', state: 'loaded', files: 1, currency: 'USD' })
    expect([slice.billed, slice.effective]).toEqual([3.7500000001, 3.7500000001])
    expect(await billed()).toBeCloseTo(3.7500000001, 10)

    const again = await ingestedBill(owner, 'data-center', csv(content))
    expect(again).toMatchObject({ state: 'succeeded', recordsUpserted: 0 })
    expect(await billed()).toBeCloseTo(3.7500000001, 10)
    // The chunks of the first upload make no slice any more.
    await eventually(async () => (await rowsOf('billing_uploads')).length === 1)
    const { sources } = (await owner.get('/api/finops/sources')).json()
    expect(sources).toMatchObject([{ source: 'data-center', accountId: null }])
  }, 90_000)

  test('200: several files and months, and only the months that are in it are replaced', async () => {
    const files = [
      { name: 'one.csv', content: focusCsv('2026-08', [10]) },
      { name: 'two.csv.gz', content: gzipSync(focusCsv('2026-09', [1, 1])) },
    ]
    await ingestedBill(owner, 'two', files)
    expect(await billed()).toBe(12)
    const restated = await ingestedBill(owner, 'two', csv(focusCsv('2026-09', [1, 3])))
    expect(restated).toMatchObject({ state: 'succeeded', recordsUpserted: 1 })
    expect(await billed()).toBe(14)
  }, 90_000)

  test('400 bill_refused: file, row and column; the old numbers stay', async () => {
    await ingestedBill(owner, 'dc', csv(focusCsv('2026-09', [1, 2])))
    const answer = await uploadBill(owner, 'dc', csv(focusCsv('2026-09', [1, 'twelve', 3])))
    expect(answer.statusCode, answer.body).toBe(400)
    expect(answer.json()).toMatchObject({ code: 'bill_refused' })
    expect(answer.json().details[0]).toMatchObject({ path: 'bill.csv' })
    expect(answer.json().details[0].message).toMatch(/BilledCost.*row 2/)
    expect(await billed()).toBe(3)
    const [{ id }] = (await owner.get('/api/finops/ingests?state=failed')).json().ingests
    const { ingest } = (await owner.get(`/api/finops/ingests/${id}`)).json()
    expect(ingest.accounts[0]).toMatchObject({ state: 'failed' })
    expect(ingest.accounts[0].slices[0].errors[0]).toMatchObject({ file: 'bill.csv', row: 2 })
  }, 90_000)

  test('an export that shrinks is suspect; accept loads it, discard drops it', async () => {
    await ingestedBill(owner, 'dc', csv(focusCsv('2026-09', [10, 10, 10, 10])))
    const shrunk = async () => {
      const ingest = await ingestedBill(owner, 'dc', csv(focusCsv('2026-09', [10])))
      expect(ingest.state).toBe('failed')
      const [slice] = ingest.accounts[0].slices
      expect(slice.state).toBe('suspect')
      return `/api/finops/slices/${slice.id}`
    }
    const first = await shrunk()
    expect(await billed()).toBe(40)
    const dropped = await owner.post(`${first}/discard`, {})
    expect(dropped.json().ingest.accounts[0].slices[0]).toMatchObject({ state: 'discarded' })
    expect((await owner.post(`${first}/accept`, {})).json().code).toBe('slice_not_suspect')

    const second = await shrunk()
    const accepted = await owner.post(`${second}/accept`, {})
    expect(accepted.statusCode, accepted.body).toBe(200)
    expect(accepted.json().ingest.state).toBe('succeeded')
    expect(await billed()).toBe(10)
    const events = (await rowsOf('audit_entries')).map(({ event }) => event)
    expect(events).toContain('finops.slice_discarded')
    expect(events).toContain('finops.slice_accepted')
  }, 90_000)

  test('a source is deleted with its cost; that of another organization is 404', async () => {
    await ingestedBill(owner, 'dc', csv(focusCsv('2026-09', [5])))
    const [{ id }] = (await owner.get('/api/finops/sources')).json().sources
    const stranger = await (await harness.organization()).user('Owner')
    expect((await stranger.delete(`/api/finops/sources/${id}`)).statusCode).toBe(404)
    expect((await owner.delete(`/api/finops/sources/${id}`)).statusCode).toBe(200)
    expect(await billed()).toBeNull()
    expect((await owner.get('/api/finops/sources')).json().sources).toEqual([])
    await eventually(async () => (await rowsOf('billing_upload_chunks')).length === 0)
  }, 60_000)

  test('one Idempotency-Key is one ingest; another body under it is 409', async () => {
    const headers = { 'idempotency-key': 'once' }
    const content = focusCsv('2026-09', [5])
    const one = (await uploadBill(owner, 'dc', csv(content), headers)).json()
    const two = (await uploadBill(owner, 'dc', csv(content), headers)).json()
    expect(two.ingest.id).toBe(one.ingest.id)
    const other = await uploadBill(owner, 'dc', csv(focusCsv('2026-09', [6])), headers)
    expect([other.statusCode, other.json().code]).toEqual([409, 'idempotency_key_reused'])
    expect(await rowsOf('billing_ingests')).toHaveLength(1)
  }, 60_000)
})

describe('what is refused leaves nothing', () => {
  const bill = csv(focusCsv('2026-09', [1]))
  test.each([
    ['no source', undefined, bill, 400],
    ['a source with capitals', 'Bill', bill, 400],
    ['no file', 'dc', [], 400],
    ['a path as a name', 'dc', [{ name: '../../bill.csv', content: 'x' }], 400],
    ['another form', 'dc', [{ name: 'bill.xlsx', content: 'x' }], 400],
    ['an empty file', 'dc', [{ name: 'bill.csv', content: '' }], 400],
    ['another field', 'dc', [{ name: 'bill.csv', content: 'x', field: 'files' }], 400],
    ['too much', 'dc', [{ name: 'bill.csv', content: Buffer.alloc(3 * 1024 ** 2 + 1) }], 413],
  ] as const)('%s', async (_, source, files, status) => {
    const answer = await uploadBill(owner, source, files)
    expect(answer.statusCode, answer.body).toBe(status)
    for (const table of ['billing_sources', 'billing_uploads', 'billing_upload_chunks'])
      expect(await rowsOf(table), table).toEqual([])
  })

  test('403: a Deployer may not upload, which is audited', async () => {
    const answer = await uploadBill(await org.user('Deployer'), 'dc', bill)
    expect(answer.statusCode).toBe(403)
    const events = (await rowsOf('audit_entries')).map(({ event }) => event)
    expect(events).toContain('cloud.rbac_denied')
  })
})
