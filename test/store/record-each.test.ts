import { afterAll, beforeAll, expect, test } from 'vitest'
import { auditLog, systemActor, type TargetEntry } from '../../store/audit/audit-log.ts'
import { unwrap } from '../../store/driver/tenant.ts'
import { countStatements } from '../harness/count-statements.ts'
import { createHarness, type Harness } from '../harness/create-harness.ts'
import type { TestOrganization } from '../harness/test-organization.ts'

let harness: Harness
beforeAll(async () => {
  harness = await createHarness()
})
afterAll(async () => harness.close())

const written = async (org: TestOrganization) =>
  harness.deps.store.tenant(org.id, async (tenant) =>
    unwrap(tenant)
      .db('audit_entries')
      .where({ organizationId: org.id, event: 'test.moved' })
      .orderBy('id'),
  )

test('an entry of many is as one that is recorded by itself', async () => {
  const org = await harness.organization()
  const actor = { kind: 'token' as const, id: 7, label: 'ci', ip: '192.0.2.1', requestId: 'r-1' }
  const texts = ['a "quoted" \\ text, {with} braces', 'NULL', 'x'.repeat(20_000)]
  await harness.deps.store.tenant(org.id, async (tenant) => {
    const log = auditLog(tenant, actor)
    const target = { kind: 'thing', id: 'a,b' }
    const entries: TargetEntry[] = [
      { target, detail: { text: texts[0], none: null, list: [1, '}'] } },
      { target: { ...target, label: texts[1] ?? '' }, detail: {} },
      { target: { ...target, id: 3 }, detail: { text: texts[2] } },
    ]
    for (const entry of entries) await log.record('test.moved', entry)
    await log.recordEach('test.moved', entries)
  })
  const own = (await written(org)).map(({ id: _i, at: _a, ...entry }) => entry)
  expect(own).toHaveLength(6)
  expect(own.slice(3)).toEqual(own.slice(0, 3))
})

test('1,001 entries are three statements, in their order; none is no statement', async () => {
  const org = await harness.organization()
  const entries = Array.from({ length: 1_001 }, (_, at) => ({
    target: { kind: 'thing', id: 1_001 - at },
    detail: { at },
  }))
  const sent = async (count: number) =>
    harness.deps.store.tenant(org.id, async (tenant) => {
      const log = auditLog(tenant, systemActor)
      const { statements } = await countStatements(async () =>
        log.recordEach('test.moved', entries.slice(0, count)),
      )
      return statements.filter((text) => text.includes('insert into audit_entries')).length
    })
  expect(await sent(0)).toBe(0)
  expect(await sent(1_001)).toBe(3)
  const rows = await written(org)
  expect(rows.map(({ detail }) => detail.at)).toEqual(entries.map(({ detail }) => detail.at))
})
