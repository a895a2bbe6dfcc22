import { unwrap } from '../../store/driver/tenant.ts'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createHarness, type Harness } from '../harness/create-harness.ts'
import type { TestOrganization, TestWorkspace } from '../harness/test-organization.ts'
import type { TestUser } from '../harness/test-user.ts'
import { expectAccessible } from './axe.ts'
import { expectNoSideways, openBrowser, settle, visit } from './browser.ts'
import { scrollThrough } from './scroll-through.ts'
import { lockInfo, stateClient, stateOf } from '../api/workspaces/state-client.ts'

const rows = 10_000

describe('10,000 rows, and 100,000 of the audit log', () => {
  let harness: Harness
  let browser: Browser
  let org: TestOrganization
  let owner: TestUser
  let workspace: TestWorkspace
  beforeAll(async () => {
    ;[harness, browser] = await Promise.all([createHarness(), openBrowser()])
    org = await harness.organization()
    owner = await org.user('Owner')
    workspace = await org.workspace({ by: owner })
    const ids = { org: org.id, owner: owner.id, ws: workspace.id, pipeline: workspace.pipelineId }
    await harness.deps.store.tenant(org.id, async (tenant) => {
      const { db } = unwrap(tenant)

      for (const sql of seeds)
        await db.raw(
          sql.replaceAll(/:(\w+)/g, (whole, name: string) =>
            name in ids ? String(ids[name as keyof typeof ids]) : whole,
          ),
        )
    })
  })
  afterAll(async () => {
    await browser?.close()
    await harness?.close()
  })

  for (const { name, path, first, filter } of [
    { name: 'workspaces', path: '/workspaces', first: /bulk-00001/, filter: 'bulk-09876' },
    {
      name: 'pipelines',
      path: '/pipelines?managed=true',
      first: /provision-bulk-00001/,
      filter: 'bulk-09876',
    },
    { name: 'people', path: '/organization', first: /Person 00001/, filter: 'person 09876' },
    { name: 'tokens', path: '/organization/tokens', first: /token of Person/, filter: undefined },
    { name: 'scim log', path: '/organization/provisioning', first: /409/, filter: undefined },
    { name: 'policies', path: '/organization/policies', first: /rule 00001/, filter: undefined },
    { name: 'audit', path: '/organization/audit', first: /bulk event/, filter: undefined },
    { name: 'runs of a workspace', path: '', first: /Run #10000/, filter: undefined },
    { name: 'runs of a pipeline', path: 'pipeline', first: /Run #10000/, filter: undefined },
    { name: 'home', path: '/', first: /10,00\d/, filter: undefined },
  ])
    test(`${name}: the first page is there at once, and the list goes on as one scrolls`, async () => {
      const { page, context, faults } = await visit(browser, harness, { user: owner })
      const address =
        path === ''
          ? `/workspaces/${workspace.id}`
          : path === 'pipeline'
            ? `/pipelines/${workspace.pipelineId}`
            : path
      await page.goto(address)
      await page.locator('main').getByText(first).first().waitFor()
      await settle(page)
      await expectNoSideways(page, name)
      if (name !== 'home') {
        const shown = page.locator('main .rows li, main tbody tr, main .audit-day li')
        const before = await shown.count()
        // Charts stand below the runs of a workspace, so its list goes on by its button.
        if (path === '') await page.getByRole('button', { name: 'Show more' }).click()
        else await page.locator('.more').last().scrollIntoViewIfNeeded()
        await expect.poll(async () => shown.count(), { timeout: 15_000 }).toBeGreaterThan(before)
      }
      if (filter) {
        await page.evaluate('scrollTo(0, 0)')
        await page.keyboard.press('/')
        await page.keyboard.type(filter)
        await page.getByText(/^1 found$/).waitFor()
        await page.locator('main').getByText(new RegExp(filter, 'i')).first().waitFor()
        await page.getByRole('searchbox').fill('there is no such one')
        await page.getByText('none found').waitFor()
      }
      await expectAccessible(page, `${name} of 10,000`)
      expect(faults).toEqual([])
      await context.close()
    })

  test('all 10,000 workspaces are reached by scrolling, and the first again', async () => {
    const { page, context } = await visit(browser, harness, { user: owner })
    await page.goto('/workspaces')
    await page.getByText('bulk-00001').waitFor()
    const shown = page.locator('main .rows li')
    for (let pages = 0; pages < 60; pages += 1) {
      const before = await shown.count()
      if (before > rows) break
      await page.evaluate('scrollTo(0, document.documentElement.scrollHeight)')
      await expect.poll(async () => shown.count(), { timeout: 20_000 }).toBeGreaterThan(before)
    }
    expect(await shown.count()).toBe(rows + 1)
    await scrollThrough(page, { up: true })
    expect(await page.evaluate('scrollY')).toBe(0)
    await expect.poll(async () => shown.first().innerText()).toMatch(/bulk-/)
    await context.close()
  })

  test('a state of 10,000 resources', async () => {
    const client = stateClient(harness.app, workspace, await owner.token('Deployer'))
    const [one] = stateOf(1).resources
    const resources = Array.from({ length: rows }, (_, at) => ({ ...one, name: `r${at + 1}` }))
    const lock = lockInfo()
    await client.lock(lock)
    const written = await client.write({ ...stateOf(1), resources }, lock.ID)
    expect(written.statusCode, written.body).toBe(200)
    const { page, context } = await visit(browser, harness, { user: owner })
    await page.goto(`/workspaces/${workspace.id}?tab=state`)
    // In the order that people count in, and not as text.
    await page.getByText('terraform_data.r2["a"]').waitFor()
    expect(await page.getByText('terraform_data.r10000["a"]').count()).toBe(0)
    const shown = page.locator('main .rows li')
    const before = await shown.count()
    // By its button: the versions of the state stand below.
    await page.locator('.more').first().getByRole('button').click()
    await expect.poll(async () => shown.count(), { timeout: 15_000 }).toBeGreaterThan(before)
    await expectNoSideways(page, 'a state of 10,000 resources')
    await context.close()
  })
})

const n = `lpad(n::text, 5, '0')`
const seeds = [
  `insert into workspaces (organization_id, name)
     select :org, 'bulk-' || ${n} from generate_series(1, ${rows}) n`,
  `insert into pipelines (organization_id, name, kind, managed, target_workspace_id)
     select :org, 'provision-' || name, 'infrastructure', true, id from workspaces
     where organization_id = :org and name like 'bulk-%' order by id`,
  `insert into users (organization_id, email, name)
     select :org, 'person-' || ${n} || '@bulk.example', 'Person ' || ${n} from generate_series(1, ${rows}) n`,
  `insert into tokens (organization_id, kind, user_id, name, prefix, hash, role, expires_at)
     select :org, 'pat', id, 'token of ' || name, 'cc_pat_x', decode(md5(id::text), 'hex'), 'Viewer', now() + interval '9 days'
     from users where organization_id = :org and name like 'Person%'`,
  `insert into scim_log (organization_id, token_name, method, path, status, request_id)
     select :org, 'Okta', 'POST', '/api/scim/v2/Users', 409, n::text from generate_series(1, ${rows}) n`,
  `insert into policies (organization_id, name, rego, enforcement, workspaces)
     select :org, 'rule ' || ${n}, 'package cloudcontrol', 'advisory', '"all"' from generate_series(1, ${rows}) n`,
  `insert into audit_entries (organization_id, event, outcome, actor_kind, actor_label)
     select :org, 'bulk.event', 'success', 'system', 'cloud-control' from generate_series(1, ${10 * rows}) n`,
  `with made as (
     insert into workspace_runs (organization_id, workspace_id, kind, phase, configuration_version_id, origin, author_user_id, ended_at)
     select :org, :ws, 'apply', 'succeeded', (select max(id) from configuration_versions where organization_id = :org), 'person', :owner, now()
     from generate_series(1, ${rows}) n returning id)
   insert into pipeline_runs (id, organization_id, pipeline_id, number, workspace_run_id)
     select id, :org, :pipeline, row_number() over (order by id), id from made`,
]
