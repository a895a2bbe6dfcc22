import { unwrap } from '../../../store/driver/tenant.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { approvedRun } from '../users/approve-as.ts'

let harness: Harness
beforeAll(async () => {
  harness = await createHarness()
})
afterAll(() => harness.close())

const url = '/api/org/settings'

describe('/api/org/settings', () => {
  test('200: defaults, then only the changed fields; the audit log has old and new values', async () => {
    const org = await harness.organization()
    const admin = await org.user('Org Admin')
    const before = (await admin.get(url)).json()
    expect(before).toEqual({
      name: org.slug,
      currency: 'USD',
      approvalExpiryHours: 168,
      tagKey: null,
      tagAliases: {},
      anomalyMinimum: 5,
      learnPrices: true,
      artifactDays: 30,
      buildNetwork: 'public',
      planApproval: 'none',
    })
    const change = { name: 'Acme', tagKey: 'team', approvalExpiryHours: 720, anomalyMinimum: 0.5 }
    expect((await admin.patch(url, change)).json()).toEqual({ ok: true, ...before, ...change })
    await admin.patch(url, { tagKey: null, buildNetwork: 'none' })
    expect((await admin.get(url)).json()).toEqual({
      ...before,
      ...change,
      tagKey: null,
      buildNetwork: 'none',
    })
    expect((await admin.get('/api/auth/me')).json().organization.name).toBe('Acme')
    const entries = await harness.deps.store.tenant(org.id, async (tenant) =>
      unwrap(tenant).db('audit_entries').where({ event: 'org.settings_updated' }).orderBy('id'),
    )
    expect(entries.map(({ detail }) => detail)).toEqual([
      {
        name: { from: org.slug, to: 'Acme' },
        tagKey: { from: null, to: 'team' },
        approvalExpiryHours: { from: 168, to: 720 },
        anomalyMinimum: { from: 5, to: 0.5 },
      },
      { tagKey: { from: 'team', to: null }, buildNetwork: { from: 'public', to: 'none' } },
    ])
  })

  test('200: aliases of tags are stored whole, and the same ones again are no change', async () => {
    const org = await harness.organization()
    const admin = await org.user('Org Admin')
    const tagAliases = { team: ['Team', 'resourceTags/team'] }
    for (const _ of [1, 2])
      expect((await admin.patch(url, { tagAliases })).json()).toMatchObject({ tagAliases })
    expect((await admin.patch(url, { tagAliases: {} })).json()).toMatchObject({ tagAliases: {} })
    const entries = await harness.deps.store.tenant(org.id, async (tenant) =>
      unwrap(tenant).db('audit_entries').where({ event: 'org.settings_updated' }).orderBy('id'),
    )
    expect(entries.map(({ detail }) => detail)).toEqual([
      { tagAliases: { from: {}, to: tagAliases } },
      { tagAliases: { from: tagAliases, to: {} } },
    ])
  })

  test.each([
    { tagAliases: { team: [] } },
    { tagAliases: { team: ['Team', 'Team'] } },
    { tagAliases: { team: ['Team'], owner: ['Team'] } },
    { tagAliases: { team: ['owner'], owner: ['Owner'] } },
    { tagAliases: { team: ['team'] } },
    { currency: 'XXX' },
    { currency: 'usd' },
    { approvalExpiryHours: 0 },
    { approvalExpiryHours: 721 },
    { approvalExpiryHours: 1.5 },
    { name: '' },
    { name: 'a\r\nBcc: you@evil.example' },
    { tagKey: 'x'.repeat(257) },
    { anomalyMinimum: -1 },
    { buildNetwork: 'all' },
    { requireSso: true },
    { name: null },
  ])('400: %o, and nothing is changed', async (change) => {
    const org = await harness.organization()
    const admin = await org.user('Org Admin')
    const before = (await admin.get(url)).json()
    const response = await admin.patch(url, { tagKey: 'kept-out', ...change })
    expect(response.statusCode).toBe(400)
    expect((await admin.get(url)).json()).toEqual(before)
  })

  test('403: a role below Org Admin; 200: an Org Admin’s token', async () => {
    const org = await harness.organization()
    const admin = await org.user('Org Admin')
    const cloudAdmin = await org.user('SRE · Cloud Admin')
    expect((await cloudAdmin.get(url)).statusCode).toBe(403)
    expect((await cloudAdmin.patch(url, { name: 'Mine' })).statusCode).toBe(403)
    const headers = { authorization: `Bearer ${await admin.token()}` }
    expect((await harness.app.inject({ url, headers })).statusCode).toBe(200)
  })

  test('a change of currency changes the limit: an approval under the old one is void', async () => {
    const org = await harness.organization()
    const admin = await org.user('Org Admin')
    const run = await approvedRun(harness.deps, org, await org.user('Deployer'))
    await harness.deps.store.tenant(org.id, async (tenant) =>
      unwrap(tenant).db('workspaces').update({ costLimitMonthly: 100 }),
    )
    await admin.patch(url, { name: 'Other' })
    expect(await run.now()).toMatchObject({ phase: 'apply_queued' })
    await admin.patch(url, { currency: 'JPY' })
    expect(await run.now()).toMatchObject({ phase: 'awaiting_approval', approved: false })
  })
})
