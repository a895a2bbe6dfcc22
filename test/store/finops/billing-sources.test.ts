import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Tenant } from '../../../store/driver/tenant.ts'
import { billingSources } from '../../../store/finops/billing-sources.ts'
import { testBills } from '../../harness/bills.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import type { TestOrganization } from '../../harness/test-organization.ts'

describe('the sources of bills', () => {
  let harness: Harness
  let org: TestOrganization
  let bills: ReturnType<typeof testBills>
  beforeAll(async () => {
    harness = await createHarness()
    org = await harness.organization()
    bills = testBills(harness.deps.store, org.id)
  })
  afterAll(async () => harness.close())

  const inOrg = async <T>(work: (tenant: Tenant) => Promise<T>, organizationId = org.id) =>
    harness.deps.store.tenant(organizationId, work)
  const account = async (organizationId = org.id): Promise<number> => {
    const [row] = await testBills(harness.deps.store, organizationId).ask(
      `insert into cloud_accounts (organization_id, provider, account_id, name, credentials, credentials_kind)
       values (:organizationId, 'aws', lpad((random() * 1e9)::bigint::text, 12, '0'), 'a', '\\x00', 'keys')
       returning id`,
    )
    return Number(row?.['id'])
  }

  test('an account and a name have one each, also of many who ask at once', async () => {
    const cloudAccountId = await account()
    const ensured = await Promise.all(
      Array.from({ length: 8 }, async () =>
        inOrg(async (tenant) => [
          (await billingSources(tenant).ensureForAccount(cloudAccountId)).id,
          (await billingSources(tenant).ensureNamed('erp')).id,
        ]),
      ),
    )
    expect(new Set(ensured.map(String)).size).toBe(1)
    const list = await inOrg(async (tenant) => billingSources(tenant).list(10, 0))
    expect(list.map(({ cloudAccountId, name }) => ({ cloudAccountId, name }))).toEqual(
      expect.arrayContaining([
        { cloudAccountId, name: null },
        { cloudAccountId: null, name: 'erp' },
      ]),
    )
  })

  test('an account of another organization is refused', async () => {
    const other = await harness.organization()
    const foreign = await account(other.id)
    await expect(
      inOrg(async (tenant) => billingSources(tenant).ensureForAccount(foreign)),
    ).rejects.toThrow(/foreign key/)
  })

  test('a month of a source has one current slice, one that is read and one that is suspect', async () => {
    const { id, sourceId, ingestId } = await bills.reading(await bills.source(), [{}])
    const again = (state: string, isCurrent: boolean) =>
      bills.ask(
        `insert into billing_slices (organization_id, ingest_id, source_id, period, state, is_current)
         values (:organizationId, :ingestId, :sourceId, '2026-03-01', :state, :isCurrent)`,
        { ingestId, sourceId, state, isCurrent },
      )
    await expect(again('reading', false)).rejects.toThrow(/billing_slices_reading/)
    await again('suspect', false)
    await expect(again('suspect', false)).rejects.toThrow(/billing_slices_suspect/)
    await again('loaded', true)
    await expect(again('loaded', true)).rejects.toThrow(/billing_slices_current/)
    await expect(again('refused', true)).rejects.toThrow(/billing_slices_check/)
    await again('unchanged', false)
    expect(await bills.slice(id)).toMatchObject({ state: 'reading' })
  })
})
