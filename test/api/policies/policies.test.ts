import { unwrap } from '../../../store/driver/tenant.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { stages } from '../../../store/runs/stages.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import type { TestOrganization } from '../../harness/test-organization.ts'
import { runInPhase } from '../workspaces/run-in-phase.ts'

const rego = (message = 'no') =>
  `package cloudcontrol\n\ndeny contains "${message}" if { input.run.destroy }\n`

const newPolicy = (fields: Record<string, unknown> = {}) => ({
  name: 'no destroys',
  rego: rego(),
  enforcement: 'mandatory',
  workspaces: 'all',
  ...fields,
})

describe('/api/policies', () => {
  let harness: Harness
  beforeAll(async () => {
    harness = await createHarness()
  })
  afterAll(async () => harness.close())

  const eventsOf = async (org: TestOrganization, event: string) =>
    harness.deps.store.tenant(org.id, async (tenant) =>
      unwrap(tenant)
        .db('audit_entries')
        .where({ event })
        .orderBy('id')
        .select('targetId', 'targetLabel', 'detail'),
    )

  const authorsOf = async (org: TestOrganization, workspaceId: number) =>
    harness.deps.store.tenant(org.id, async (tenant) =>
      unwrap(tenant)
        .db('workspace_authorship')
        .where({ workspaceId })
        .orderBy('id')
        .select('userId', 'what'),
    )

  test('201, 200: a policy is created, read by every member, changed and deleted', async () => {
    const org = await harness.organization()
    const [admin, viewer] = [await org.user('Org Admin'), await org.user('Viewer')]
    const made = await admin.post('/api/policies', newPolicy())
    expect(made.statusCode, made.body).toBe(201)
    const { policy } = made.json()
    expect(policy).toMatchObject({ ...newPolicy(), version: 1 })
    const url = `/api/policies/${policy.id}`
    expect((await viewer.get('/api/policies')).json()).toEqual({
      policies: [policy],
      nextCursor: null,
    })

    const changed = await admin.patch(url, { rego: rego('never'), enforcement: 'advisory' })
    expect(changed.json().policy).toMatchObject({ version: 2, enforcement: 'advisory' })
    expect((await viewer.get(url)).json().policy.rego).toBe(rego('never'))
    // Sent back unchanged: no change and no new version.
    const { id: _i, version: _v, createdAt: _c, updatedAt: _u, ...same } = changed.json().policy
    expect((await admin.patch(url, same)).json().policy.version).toBe(2)

    expect((await admin.delete(url)).json()).toEqual({ ok: true })
    expect((await viewer.get(url)).statusCode).toBe(404)
    const [updated] = await eventsOf(org, 'policy.updated')
    expect(updated).toMatchObject({
      targetId: String(policy.id),
      targetLabel: 'no destroys',
      detail: { version: 2, changed: { rego: true } },
    })
    expect(JSON.stringify(updated)).not.toContain('package')
    expect(await eventsOf(org, 'policy.created')).toHaveLength(1)
    expect(await eventsOf(org, 'policy.deleted')).toHaveLength(1)
  })

  test('200: keyset pages', async () => {
    const org = await harness.organization()
    const admin = await org.user('Org Admin')
    for (const name of ['one', 'two', 'three'])
      expect((await admin.post('/api/policies', newPolicy({ name }))).statusCode).toBe(201)
    const first = (await admin.get('/api/policies?limit=2')).json()
    const second = (await admin.get(`/api/policies?limit=2&cursor=${first.nextCursor}`)).json()
    const names = [...first.policies, ...second.policies].map(({ name }) => name)
    expect([names, second.nextCursor]).toEqual([['one', 'two', 'three'], null])
  })

  test('400: a policy that does not compile is refused with line and column', async () => {
    const org = await harness.organization()
    const admin = await org.user('Org Admin')
    const broken = 'package cloudcontrol\n\ndeny contains "x" if { nothing_there(1) }\n'
    const response = await admin.post('/api/policies', newPolicy({ rego: broken }))
    expect([response.statusCode, response.json().code]).toEqual([400, 'policy_invalid'])
    const [detail] = response.json().details
    expect(detail).toMatchObject({ path: 'rego', line: 3 })
    expect(detail.message).toMatch(/^line 3, column \d+: /)
    const other = await admin.post('/api/policies', newPolicy({ rego: 'package other' }))
    expect(other.json().code).toBe('policy_invalid')
    expect((await admin.get('/api/policies')).json().policies).toEqual([])

    const { policy } = (await admin.post('/api/policies', newPolicy())).json()
    const change = await admin.patch(`/api/policies/${policy.id}`, { rego: broken })
    expect(change.json().code).toBe('policy_invalid')
    const gone = await admin.patch(`/api/policies/${policy.id + 1}`, { rego: broken })
    expect(gone.statusCode).toBe(404)
  })

  test('400: an invalid scope, enforcement or field', async () => {
    const org = await harness.organization()
    const admin = await org.user('Org Admin')
    for (const fields of [
      { workspaces: 'some' },
      { workspaces: [] },
      { workspaces: [1, 1] },
      { enforcement: 'maybe' },
      { name: '' },
      { version: 3 },
    ]) {
      const response = await admin.post('/api/policies', newPolicy(fields))
      expect([response.statusCode, response.json().code]).toEqual([400, 'validation_failed'])
    }
  })

  test('404: a workspace of another organization', async () => {
    const org = await harness.organization()
    const admin = await org.user('Org Admin')
    const foreign = await (await harness.organization()).workspace()
    const own = await org.workspace()
    for (const workspaces of [[foreign.id], [own.id, foreign.id]]) {
      const response = await admin.post('/api/policies', newPolicy({ workspaces }))
      expect(response.statusCode).toBe(404)
    }
    const { policy } = (
      await admin.post('/api/policies', newPolicy({ workspaces: [own.id] }))
    ).json()
    const url = `/api/policies/${policy.id}`
    expect((await admin.patch(url, { workspaces: [foreign.id] })).statusCode).toBe(404)
    // A workspace that was deleted since does not prevent a change of the others.
    const more = await org.workspace()
    expect((await admin.delete(`/api/workspaces/${own.id}`)).statusCode).toBe(200)
    const kept = await admin.patch(url, { workspaces: [own.id, more.id] })
    expect(kept.statusCode, kept.body).toBe(200)
  })

  test('409: 500 policies, or 2 MiB of their texts; nothing of the refused one is kept', async () => {
    const org = await harness.organization()
    const admin = await org.user('Org Admin')
    const { id } = (await admin.post('/api/policies', newPolicy())).json().policy
    const add = async (count: number, text: string, prefix: string) =>
      harness.deps.store.platform.raw(
        `insert into policies (organization_id, name, rego, enforcement, workspaces)
         select ?, ? || n, ?, 'advisory', '"all"' from generate_series(1, ?::integer) n`,
        [org.id, prefix, text, count],
      )
    await add(499, rego(), 'small ')
    const refused = await admin.post('/api/policies', newPolicy({ name: 'one more' }))
    expect([refused.statusCode, refused.json().code]).toEqual([409, 'too_many_policies'])
    const rows = harness.deps.store.platform('policies').where({ organizationId: org.id })
    expect(await rows.clone().count()).toEqual([{ count: 500 }])
    expect((await admin.patch(`/api/policies/${id}`, { name: 'another' })).statusCode).toBe(200)
    await rows.clone().whereNot({ id }).delete()
    await add(16, `# ${'x'.repeat(131_000)}`, 'large ')
    const longer = { rego: `${rego()}# ${'x'.repeat(100_000)}` }
    const long = await admin.patch(`/api/policies/${id}`, longer)
    expect([long.statusCode, long.json().code]).toEqual([409, 'too_many_policies'])
    expect((await admin.get(`/api/policies/${id}`)).json().policy.rego).toBe(rego())
  })

  test('409: a name in use, in any case, and the error names the policy', async () => {
    const org = await harness.organization()
    const admin = await org.user('Org Admin')
    const { policy } = (await admin.post('/api/policies', newPolicy())).json()
    const again = await admin.post('/api/policies', newPolicy({ name: 'NO DESTROYS' }))
    expect(again.statusCode).toBe(409)
    expect(again.json()).toMatchObject({ code: 'name_taken', existingId: policy.id })
    const other = (await admin.post('/api/policies', newPolicy({ name: 'other' }))).json().policy
    const renamed = await admin.patch(`/api/policies/${other.id}`, { name: 'no destroys' })
    expect(renamed.json()).toMatchObject({ code: 'name_taken', existingId: policy.id })
  })

  test('403: a role below Org Admin may not write policies, and the attempt is audited', async () => {
    const org = await harness.organization()
    const sre = await org.user('SRE · Cloud Admin')
    expect((await sre.post('/api/policies', newPolicy())).statusCode).toBe(403)
    expect(await eventsOf(org, 'policy.denied')).toHaveLength(1)
  })

  test('200: a person who changes a policy is an author in the workspaces to which it applies, and only there', async () => {
    const org = await harness.organization()
    const [one, two] = [await org.user('Org Admin'), await org.user('Org Admin')]
    const production = await org.workspace({ criticality: 'production' })
    const standard = await org.workspace()
    const before = [await authorsOf(org, production.id), await authorsOf(org, standard.id)]
    const made = await one.post('/api/policies', newPolicy({ workspaces: 'production' }))
    const url = `/api/policies/${made.json().policy.id}`
    expect(await authorsOf(org, production.id)).toEqual([
      ...(before[0] ?? []),
      { userId: one.id, what: 'policy' },
    ])
    expect(await authorsOf(org, standard.id)).toEqual(before[1])

    // Moved from one workspace to another: the guards of both have changed.
    expect((await two.patch(url, { workspaces: [standard.id] })).statusCode).toBe(200)
    for (const { id } of [production, standard])
      expect((await authorsOf(org, id)).at(-1)).toEqual({ userId: two.id, what: 'policy' })
    expect((await one.patch(url, { name: 'renamed' })).statusCode).toBe(200)
    expect((await authorsOf(org, standard.id)).at(-1)?.userId).toBe(two.id)
    await one.delete(url)
    expect((await authorsOf(org, standard.id)).at(-1)?.userId).toBe(one.id)
    expect((await authorsOf(org, production.id)).at(-1)?.userId).toBe(two.id)
  })

  test('200: a change makes an approval void, and the run waits again', async () => {
    const org = await harness.organization()
    const [author, operator, admin] = [
      await org.user('Deployer'),
      await org.user('Deployer'),
      await org.user('Org Admin'),
    ]
    const workspace = await org.workspace({ criticality: 'production' })
    const place = { organizationId: org.id, workspaceId: workspace.id, authorUserId: author.id }
    const run = await runInPhase(harness.deps, place, 'apply_queued')
    await harness.deps.store.tenant(org.id, async (tenant) =>
      unwrap(tenant).db('approvals').insert({
        organizationId: org.id,
        workspaceRunId: run.id,
        userId: operator.id,
        decision: 'approved',
        planDigest: 'digest',
      }),
    )
    // The rows after an approval.
    await harness.deps.store.tenant(org.id, async (tenant) => {
      const rows = stages(tenant)
      await rows.create(run.id, ['plan', 'approve', 'apply'])
      await rows.set(run.id, 'approve', { state: 'succeeded', by: operator.email, ended: true })
      await rows.set(run.id, 'apply', { state: 'queued' })
    })
    expect((await admin.post('/api/policies', newPolicy())).statusCode).toBe(201)
    const [approval, row] = await harness.deps.store.tenant(org.id, async (tenant) =>
      Promise.all([
        unwrap(tenant).db('approvals').where({ workspaceRunId: run.id }).first(),
        unwrap(tenant).db('workspace_runs').where({ id: run.id }).first(),
      ]),
    )
    expect(approval.voidReason).toContain(`policy changed by ${admin.email}`)
    expect(row.phase).toBe('awaiting_approval')
    const shown = (await admin.get(`${workspace.url}/runs/${run.id}`)).json().run.stages
    expect(shown.slice(-2)).toMatchObject([
      { name: 'approve', state: 'waiting', endedAt: null },
      { name: 'apply', state: 'pending', startedAt: null, endedAt: null },
    ])
  })

  test('200: concurrent changes over the same workspaces finish without a deadlock', async () => {
    const org = await harness.organization()
    const admin = await org.user('Org Admin')
    const spaces = [await org.workspace(), await org.workspace(), await org.workspace()]
    const ids = spaces.map(({ id }) => id)
    const made = await Promise.all(
      [ids, ids.toReversed(), 'all', [...ids.slice(1), ...ids.slice(0, 1)]].map(
        async (workspaces, index) =>
          admin.post('/api/policies', newPolicy({ name: `policy ${index}`, workspaces })),
      ),
    )
    expect(made.map(({ statusCode }) => statusCode)).toEqual([201, 201, 201, 201])
    const both = made.map(async (response, index) =>
      admin.patch(`/api/policies/${response.json().policy.id}`, {
        workspaces: index % 2 === 0 ? ids.toReversed() : 'all',
        enforcement: 'advisory',
      }),
    )
    expect((await Promise.all(both)).map(({ statusCode }) => statusCode)).toEqual([
      200, 200, 200, 200,
    ])
  })
})
