import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { connectOwner } from '../../../store/driver/connect.ts'
import { up } from '../../../store/migrations/0083-lower-commitments-of-azure.ts'
import type { TestCharge } from '../../harness/bills.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { commitmentWorld, covered } from './commitment-world.ts'

const billed = '/Orders/A'
const azure = (id: string, more: TestCharge = {}): TestCharge => ({
  provider: 'azure',
  provider_name: 'Microsoft',
  commitment_discount_id: id,
  ...more,
})

describe('ids of commitments of Azure', () => {
  let harness: Harness
  beforeAll(async () => {
    harness = await createHarness()
  })
  afterAll(async () => harness.close())

  /** As the sums of a slice were before ids came in lower case: one row for each spelling. */
  const spellAsBilled = async (sliceId: number, id: string, spelled: string) => {
    const { platform } = harness.deps.store
    await platform('cost_commitments')
      .where({ sliceId, commitmentId: id })
      .update({ commitmentId: spelled })
  }
  const migrate = async () => {
    const owner = connectOwner(harness.config.databaseUrl)
    await up(owner)
    await owner.destroy()
  }

  test('200: charges of both spellings are one commitment; another cloud’s id keeps its case', async () => {
    const { load, list } = await commitmentWorld(harness)
    await load([
      covered(1, '6', 'Used', azure(billed)),
      covered(2, '2', 'Unused', azure('/orders/a')),
      covered(1, '1', 'Used', { commitment_discount_id: 'arn:SP' }),
    ])
    expect((await list()).commitments).toMatchObject([
      { id: '/orders/a', amortised: 8 },
      { id: 'arn:SP', amortised: 1 },
    ])
  })

  test('200: a window over the upgrade shows one commitment, with its sums added up', async () => {
    const { load, list, bills, viewer } = await commitmentWorld(harness)
    const old = await load([
      covered(1, '6', 'Used', azure('spelling-1')),
      covered(1, '2', 'Used', azure('/orders/a', { list_cost: null, contracted_cost: null })),
      covered(2, '3', 'Unused', azure('spelling-1')),
      covered(1, '1', 'Used', { commitment_discount_id: 'arn:SP' }),
    ])
    await spellAsBilled(old.id, 'spelling-1', billed)
    await load([covered(3, '4', 'Used', azure('/orders/a'))], await bills.source())
    const before = await viewer.get('/api/finops/commitments?from=2026-03-01&to=2026-03-31')
    expect(before.json().commitments).toHaveLength(3)

    await migrate()
    const after = await list()
    expect(after.commitments).toMatchObject([
      // What was used on the first day has a part without a price.
      { id: '/orders/a', amortised: 15, used: 12, unused: 3, savings: null },
      { id: 'arn:SP', amortised: 1 },
    ])
    expect((await list('from=2026-03-02&to=2026-03-31')).commitments).toMatchObject([
      { id: '/orders/a', amortised: 7, savings: 1 },
    ])
    const again = await viewer.get('/api/finops/commitments?from=2026-03-01&to=2026-03-31', {
      headers: { 'if-none-match': String(before.headers['etag']) },
    })
    expect(again.statusCode).toBe(200)
    await migrate()
    expect(await list()).toEqual(after)
  })

  test('a waste that was told of is not told again', async () => {
    const { load, tell, told } = await commitmentWorld(harness)
    const days = [1, 2, 3].map((day) => covered(day, '9', 'Unused', azure('spelling-2')))
    const { id } = await load(days)
    await spellAsBilled(id, 'spelling-2', '/Orders/Wasted')
    await tell()
    expect(await told()).toHaveLength(1)
    await migrate()
    await tell()
    expect(await told()).toHaveLength(1)
  })
})
