import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { scoreAnomalies } from '../../../app/finops/score-anomalies.ts'
import { unwrap } from '../../../store/driver/tenant.ts'
import { countStatements } from '../../harness/count-statements.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { dailyBills, levelCost } from '../../harness/daily-bills.ts'

describe('a verdict on an anomaly and on those below it', () => {
  let harness: Harness
  beforeAll(async () => {
    harness = await createHarness()
  })
  afterAll(async () => harness.close())

  /** An open anomaly of a scoring. Those below it are copies, of which nothing but state and comment matters. */
  const made = async () => {
    const org = await harness.organization()
    const bills = dailyBills(harness.deps.store, org.id)
    const loaded = await bills.load(
      await bills.source(),
      levelCost('2026-01-01', 60, { at: { 59: 500 } }),
    )
    await scoreAnomalies(harness.deps.store, org.id, loaded)
    const deployer = await org.user('Deployer')
    const [{ id }] = (await deployer.get('/api/finops/anomalies')).json().anomalies
    const url = `/api/finops/anomalies/${id}`
    const addBelow = async (count: number, state = 'open', comment: string | null = null) => {
      const rows = await bills.ask(
        `insert into anomalies (organization_id, series_id, parent_id, kind, severity, state, comment,
           first_day, last_day, day, actual, expected, low, high, impact)
         select organization_id, series_id, id, kind, severity, :state::text, :comment::text,
           first_day, last_day, day, actual, expected, low, high, impact
         from anomalies, generate_series(1, :count::integer)
         where organization_id = :organizationId and id = :id returning id`,
        { id, count, state, comment },
      )
      return rows.map((row) => Number(row['id'])).toSorted((one, other) => one - other)
    }
    const stored = async () =>
      bills.ask(
        `select id, state, comment, decided_by from anomalies
         where organization_id = :organizationId order by id`,
      )
    /** The entries since the last call. */
    let seen = 0
    const audited = async () => {
      const rows = await bills.ask(
        `select id::integer, target_kind, target_id::integer, detail from audit_entries
         where organization_id = :organizationId and event = 'finops.anomaly_decided' and id > :seen
         order by id`,
        { seen },
      )
      seen = Number(rows.at(-1)?.['id'] ?? seen)
      return rows.map(({ id: _, ...row }) => row)
    }
    const decide = async (body: { state: string; comment?: string | null }) => {
      const answer = await deployer.patch(url, body)
      expect(answer.statusCode, answer.body).toBe(200)
      return answer
    }
    return { org, id: Number(id), by: deployer.id, addBelow, stored, audited, decide }
  }

  const entry = (id: number, detail: object) => ({ target_kind: 'anomaly', target_id: id, detail })

  test('200: it is as many statements for 60 below as for 2, and each of them is audited', async () => {
    const { id, addBelow, stored, audited, decide } = await made()
    // Nothing is decided: the first request of a session may send more.
    await decide({ state: 'open' })
    expect(await audited()).toEqual([])
    const two = await addBelow(2)
    const few = await countStatements(async () => decide({ state: 'acknowledged' }))
    expect(await audited()).toEqual(
      [id, ...two].map((one) => entry(one, { from: 'open', to: 'acknowledged', comment: null })),
    )
    const more = await addBelow(58)
    const body = { state: 'expected', comment: 'a campaign' }
    const many = await countStatements(async () => decide(body))
    expect(many.statements.length).toBe(few.statements.length)
    const detail = { to: 'expected', comment: body.comment }
    expect(await audited()).toEqual([
      ...[id, ...two].map((one) => entry(one, { from: 'acknowledged', ...detail })),
      ...more.map((one) => entry(one, { from: 'open', ...detail })),
    ])
    const rows = await stored()
    expect(rows).toHaveLength(61)
    for (const row of rows) expect(row).toMatchObject(body)
  })

  test('200: each keeps its comment unless one is sent; what does not change is neither written nor audited', async () => {
    const { id, by, addBelow, stored, audited, decide } = await made()
    const [own = 0] = await addBelow(1, 'open', 'mine')
    const [over = 0] = await addBelow(1, 'resolved')
    const [same = 0] = await addBelow(1, 'acknowledged')
    await decide({ state: 'acknowledged' })
    expect(await stored()).toEqual([
      { id, state: 'acknowledged', comment: null, decided_by: by },
      { id: own, state: 'acknowledged', comment: 'mine', decided_by: by },
      // It is over, and is not reopened.
      { id: over, state: 'resolved', comment: null, decided_by: null },
      { id: same, state: 'acknowledged', comment: null, decided_by: null },
    ])
    expect(await audited()).toEqual([
      entry(id, { from: 'open', to: 'acknowledged', comment: null }),
      entry(own, { from: 'open', to: 'acknowledged', comment: 'mine' }),
    ])
    await decide({ state: 'not_anomaly', comment: null })
    const decided = { state: 'not_anomaly', comment: null, decided_by: by }
    expect(await stored()).toEqual([id, own, over, same].map((one) => ({ id: one, ...decided })))
    expect(await audited()).toEqual([
      entry(id, { from: 'acknowledged', to: 'not_anomaly', comment: null }),
      entry(own, { from: 'acknowledged', to: 'not_anomaly', comment: null }),
      entry(over, { from: 'resolved', to: 'not_anomaly', comment: null }),
      entry(same, { from: 'acknowledged', to: 'not_anomaly', comment: null }),
    ])
  })

  test('200: one that a scoring ends while the verdict waits for it is not reopened', async () => {
    const { org, id, addBelow, stored, audited, decide } = await made()
    const [ending = 0, open = 0] = await addBelow(2)
    const { deciding } = await harness.deps.store.tenant(org.id, async (tenant) => {
      const { db } = unwrap(tenant)
      await db('anomalies').where({ id: ending }).update({ state: 'resolved', comment: 'ended' })
      const answer = decide({ state: 'acknowledged' })
      await expect
        .poll(
          async () => {
            const { rows } = await db.raw(
              'select count(*)::integer as waiting from pg_locks where pg_backend_pid() = any(pg_blocking_pids(pid))',
            )
            return rows[0].waiting
          },
          { timeout: 30_000 },
        )
        .toBeGreaterThan(0)
      return { deciding: answer }
    })
    await deciding
    expect(await stored()).toMatchObject([
      { id, state: 'acknowledged' },
      { id: ending, state: 'resolved', comment: 'ended', decided_by: null },
      { id: open, state: 'acknowledged' },
    ])
    const detail = { from: 'open', to: 'acknowledged', comment: null }
    expect(await audited()).toEqual([entry(id, detail), entry(open, detail)])
  })
})
