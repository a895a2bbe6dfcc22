import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createHarness, type Harness } from '../harness/create-harness.ts'
import { awaits, isOver, runUntil, startRun } from '../harness/runs.ts'
import type { TestUser } from '../harness/test-user.ts'
import { expectAccessible } from './axe.ts'
import { expectNoSideways, openBrowser, views, visit } from './browser.ts'

const folder = join(import.meta.dirname, '../.output/screenshots')

const files = {
  'main.tf': `variable "region" { default = "eu-central-1" }
variable "password" {
  default   = "correct horse battery staple"
  sensitive = true
}
resource "terraform_data" "network" { input = { region = var.region, cidr = "10.20.0.0/16" } }
resource "terraform_data" "database" { input = { size = "small", password = var.password } }
resource "terraform_data" "replica" {
  count = 3
  input = "replica \${count.index} of \${var.region}"
}
output "network" { value = terraform_data.network.output }
`,
}
const changed = {
  'main.tf': files['main.tf'].replace('count = 3', 'count = 2').replace('small', 'large'),
  'outputs.tf': 'output "size" { value = "large" }\n',
}
const broken = { 'main.tf': 'resource "terraform_data" "one" { input = var.missing }\n' }

// Each page: what axe says, that it is no wider than its window, and a picture to be looked at.
describe('every page', () => {
  let harness: Harness
  let browser: Browser
  let owner: TestUser
  let viewer: TestUser
  const at: Record<string, string> = {}

  beforeAll(async () => {
    mkdirSync(folder, { recursive: true })
    ;[harness, browser] = await Promise.all([createHarness({ worker: true }), openBrowser()])
    const org = await harness.organization()
    owner = await org.user('Owner', { platformAdmin: true })
    viewer = await org.user('Viewer')
    const author = await org.user('Deployer')
    // By somebody else: who writes a policy has a hand in what runs next, and approves none of it.
    const admin = await org.user('Org Admin')
    await admin.post('/api/policies', {
      name: 'no public buckets',
      rego: 'package cloudcontrol\n\ndeny contains "no" if { false }\n',
      enforcement: 'mandatory',
      workspaces: 'all',
    })
    const production = await org.workspace({ by: author, criticality: 'production', files })
    const standard = await org.workspace({ by: author, files })
    const failing = await org.workspace({ by: author, files: broken })

    const first = await startRun(author, production)
    await runUntil(author, { workspace: production, id: first.id }, awaits)
    await owner.post(`/api/pipelines/${production.pipelineId}/runs/${first.id}/approve`, {
      comment: 'Reviewed with the network team.',
    })
    await runUntil(author, { workspace: production, id: first.id }, isOver)
    await author.put(`${production.url}/configuration`, { files: changed })
    const waiting = await startRun(author, production)
    await runUntil(author, { workspace: production, id: waiting.id }, awaits)
    const queued = await startRun(author, production)
    const done = await startRun(author, standard)
    await runUntil(author, { workspace: standard, id: done.id }, isOver)
    const failed = await startRun(author, failing)
    await runUntil(author, { workspace: failing, id: failed.id }, isOver)
    await author.post(`${standard.url}/lock`, { reason: 'moving the network by hand' })
    await author.post(`${standard.url}/variables`, { key: 'region', value: 'eu-west-1' })
    await author.post(`${standard.url}/variables`, {
      key: 'AWS_SECRET_ACCESS_KEY',
      value: 'secret',
      kind: 'env',
      sensitive: true,
    })
    const plan = (await author.post(`${production.url}/plan`, {})).json().run
    await runUntil(author, { workspace: production, id: plan.id }, isOver)
    await owner.post('/api/auth/tokens', { name: 'ci', role: 'Deployer', expiresInDays: 30 })

    Object.assign(at, {
      home: '/',
      workspaces: '/workspaces',
      'workspace-create': '/workspaces?create=true',
      'workspace-runs': `/workspaces/${production.id}`,
      'workspace-files': `/workspaces/${production.id}?tab=files`,
      'workspace-variables': `/workspaces/${standard.id}?tab=variables`,
      'workspace-state': `/workspaces/${production.id}?tab=state`,
      'workspace-settings': `/workspaces/${production.id}?tab=settings`,
      pipelines: '/pipelines',
      pipeline: `/pipelines/${production.pipelineId}`,
      'run-waiting': `/pipelines/${production.pipelineId}/runs/${waiting.id}`,
      'run-queued': `/pipelines/${production.pipelineId}/runs/${queued.id}`,
      'run-log': `/pipelines/${production.pipelineId}/runs/${first.id}?tab=log&stage=apply`,
      'run-timeline': `/pipelines/${production.pipelineId}/runs/${first.id}?tab=timeline`,
      'run-failed': `/pipelines/${failing.pipelineId}/runs/${failed.id}`,
      'run-plan-only': `/workspaces/${production.id}/runs/${plan.id}`,
      people: '/organization',
      roles: '/organization/roles',
      tokens: '/organization/tokens',
      policies: '/organization/policies',
      audit: '/organization/audit',
      'not-found': '/nowhere',
      'no-such-run': `/pipelines/${production.pipelineId}/runs/999999`,
    })
  })
  afterAll(async () => {
    await browser?.close()
    await harness?.close()
  })

  for (const view of views)
    test(`${view.scheme}, ${view.width} px wide: axe, width and a picture of each`, async () => {
      const { page, context, faults } = await visit(browser, harness, { user: owner, view })
      const wrong: string[] = []
      for (const [name, path] of Object.entries(at)) {
        await page.goto(path)
        await settle(page)
        await page.screenshot({ path: join(folder, `${name}-${view.scheme}-${view.width}.png`) })
        await expectNoSideways(page, name).catch((error: Error) => wrong.push(error.message))
        // Both themes and both widths, each once: axe is what takes the time here.
        if ((view.scheme === 'light') === (view.width === 1440))
          await expectAccessible(page, name).catch((error: Error) => wrong.push(error.message))
      }
      expect(wrong).toEqual([])
      expect(faults).toEqual([])
      await context.close()
    })

  test('in front of the door: sign-in, its ends, and an invitation', async () => {
    for (const view of views) {
      const { page, context, faults } = await visit(browser, harness, { view })
      for (const [name, path] of Object.entries({
        login: '/login',
        'login-sso-failed': '/login?sso=failed',
        'signed-out': '/login?signedout=1',
        invitation: '/invitations/accept#token',
        'invitation-cut': '/invitations/accept',
      })) {
        await page.goto('about:blank')
        await page.goto(path)
        await settle(page)
        await page.screenshot({ path: join(folder, `${name}-${view.scheme}-${view.width}.png`) })
        if ((view.scheme === 'light') === (view.width === 1440)) await expectAccessible(page, name)
        await expectNoSideways(page, name)
      }
      expect(faults).toEqual([])
      await context.close()
    }
  })

  test('a Viewer sees every page, and nothing to change with', async () => {
    const { page, context, faults } = await visit(browser, harness, { user: viewer })
    for (const [name, path] of Object.entries(at)) {
      await page.goto(path)
      await settle(page)
      await expectAccessible(page, `${name} as a Viewer`)
      const changing = page.getByRole('button', {
        name: /^(Start|Lock|Unlock|Approve|Reject|Cancel run|New workspace|New pipeline|New variable|Save|Delete|Invite|New policy)/,
      })
      expect(await changing.count(), name).toBe(0)
    }
    expect(faults).toEqual([])
    await context.close()
  })

  test('an empty organization: each page says the next step', async () => {
    const empty = await harness.organization()
    const { page, context } = await visit(browser, harness, { user: await empty.user('Owner') })
    for (const [path, words] of [
      ['/', 'Create the first workspace'],
      ['/workspaces', 'New workspace'],
      ['/pipelines', 'Go to the workspaces'],
      ['/organization', 'Invite a person'],
      ['/organization/tokens', 'New token'],
      ['/organization/policies', 'New policy'],
    ] as const) {
      await page.goto(path)
      await page.locator('main').getByText(words).first().waitFor()
      await settle(page)
      await expectAccessible(page, `an empty ${path}`)
    }
    await context.close()
  })

  test('a failing API: its own words, and the page goes on when it is back', async () => {
    const { page, context } = await visit(browser, harness, { user: owner })
    await page.goto('/')
    await settle(page)
    await page.route('**/api/pipelines?*', (route) =>
      route.fulfill({ status: 503, json: { error: 'The database is away.', code: 'unavailable' } }),
    )
    await page.getByRole('link', { name: 'Pipelines', exact: true }).click()
    await page.getByText('The database is away.').waitFor({ timeout: 60_000 })
    await expectAccessible(page, 'a failing API')
    await page.unroute('**/api/pipelines?*')
    await context.setOffline(true)
    await page.getByRole('link', { name: 'Workspaces', exact: true }).click()
    await page.getByText('The service does not answer. What you see').waitFor()
    await context.setOffline(false)
    await page.getByText('The service does not answer. What you see').waitFor({ state: 'hidden' })
    await context.close()
  })
})

/** Shown in full: nothing is being loaded, and what is live stands still. */
async function settle(page: import('playwright-core').Page): Promise<void> {
  await page.locator('h1').first().waitFor()
  await page
    .getByText(/^(Loading|Looking|Connecting)/)
    .first()
    .waitFor({ state: 'hidden' })
  await page.waitForTimeout(120)
}
