import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { endedIngest, ingestedBill } from '../../harness/finops/bill-form.ts'
import { taggedCsv } from '../../harness/finops/tagged-csv.ts'
import type { TestOrganization } from '../../harness/test-organization.ts'
import type { TestUser } from '../../harness/test-user.ts'

describe('other keys that are read as one tag', () => {
  let harness: Harness
  let org: TestOrganization
  let owner: TestUser
  beforeAll(async () => {
    harness = await createHarness({ worker: true })
    org = await harness.organization()
    owner = await org.user('Owner')
  }, 120_000)
  afterAll(async () => harness?.close())

  const upload = async (source: string, ...contents: string[]) =>
    ingestedBill(
      owner,
      source,
      contents.map((content, at) => ({ name: `${at}.csv`, content })),
    )
  const change = async (tagAliases: Record<string, string[]>) => {
    const changed = await owner.patch('/api/org/settings', { tagAliases })
    expect(changed.statusCode, changed.body).toBe(200)
  }
  const ingests = async () => {
    const { ingests: listed } = (await owner.get('/api/finops/ingests')).json()
    return listed as Array<{ id: number; state: string; trigger: string }>
  }
  const ended = async () => endedIngest(owner, (await ingests())[0]?.id ?? 0)
  const byTag = async () => {
    const shown = await owner.get('/api/finops/cost?from=2026-08-01&to=2026-09-30&tagKey=team')
    expect(shown.statusCode, shown.body).toBe(200)
    const tags: Array<{ tag: string; amount: number }> = shown.json().byTag
    return Object.fromEntries(tags.map(({ tag, amount }) => [tag, amount]))
  }
  const current = async () =>
    (
      await harness.deps.store.platform.raw(
        `select id, period::text, manifest, records from billing_slices where organization_id = ? and is_current
         order by source_id, period`,
        [org.id],
      )
    ).rows as Array<{ id: number; period: string; manifest: string; records: number }>

  test('200: loaded bills with one of the keys are read again, each month from its newest upload', async () => {
    // The later upload has September alone, and a third of the cost.
    await upload(
      'dc',
      taggedCsv('2026-08', [
        [20, { team: 'a' }],
        [180, { Team: 'a' }],
      ]),
      taggedCsv('2026-09', [[300, { Team: 'a' }]]),
    )
    await upload(
      'dc',
      taggedCsv('2026-09', [
        [50, { team: 'a' }],
        [60, { Team: 'a' }],
        [70, { TEAM: 'a' }],
      ]),
    )
    // August alone has one of the keys.
    await upload(
      'plain',
      taggedCsv('2026-08', [[3, { Team: 'a' }]]),
      taggedCsv('2026-09', [[8, { env: 'x' }]]),
    )
    await upload('plain', taggedCsv('2026-09', [[5, { env: 'x' }]]))
    expect(await byTag()).toEqual({ 'team=a': 70, untagged: 318 })
    const before = await current()

    await change({ team: ['Team', 'TEAM'] })
    expect(await ended()).toMatchObject({ trigger: 'request', state: 'succeeded' })
    expect(await byTag()).toEqual({ 'team=a': 383, untagged: 5 })
    const after = await current()
    // The three rows of September are one by now, which is no smaller bill.
    expect(after.map(({ records }) => records)).toEqual([1, 1, 1, 1])
    const stood = ({ period, manifest }: { period: string; manifest: string }) => [period, manifest]
    expect(after.map(stood)).toEqual(before.map(stood))
    const isSame = after.map(({ id }, at) => id === before[at]?.id)
    expect(isSame).toEqual([false, false, false, true])

    const count = (await ingests()).length
    await change({ team: ['Team', 'TEAM'] })
    await change({ team: ['Team', 'TEAM'], other: ['nobody-has-this'] })
    expect(await ingests()).toHaveLength(count)

    await change({})
    expect(await ended()).toMatchObject({ state: 'succeeded' })
    expect(await byTag()).toEqual({ 'team=a': 70, untagged: 318 })
  }, 120_000)
})
