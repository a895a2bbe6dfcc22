import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { unwrap } from '../../store/driver/tenant.ts'
import { approvalWorld } from '../api/runs/approval-world.ts'
import { createHarness, type Harness } from '../harness/create-harness.ts'
import type { TestOrganization } from '../harness/test-organization.ts'
import type { TestUser } from '../harness/test-user.ts'
import { openBrowser, visit } from './browser.ts'
import { faultsInBothThemes } from './in-both-themes.ts'
import { named } from './people.ts'

const ends = [
  ['policy_denied', 'Denied'],
  ['rejected', 'Rejected'],
  ['approval_expired', 'Expired'],
  ['plan_stale', 'Out of date'],
] as const

// What a person or a policy decided, and what time overtook, is no failure anywhere in the console.
describe('runs that were stopped before their apply', () => {
  let harness: Harness
  let browser: Browser
  let org: TestOrganization
  let owner: TestUser
  const runs: Array<{ word: string; name: string; path: string }> = []
  beforeAll(async () => {
    ;[harness, browser] = await Promise.all([createHarness(), openBrowser()])
    org = await harness.organization()
    owner = await named(harness, org, { name: 'Maria Lopez', role: 'Owner' })
    const author = await named(harness, org, { name: 'Sam Okafor', role: 'Deployer' })
    for (const [reason, word] of ends) {
      const workspace = await org.workspace({ by: author, criticality: 'production' })
      const name = reason.replace('_', '-')
      await author.patch(workspace.url, { name })
      const { id } = await approvalWorld(harness).waitingRun(org, author, workspace)
      await harness.deps.store.tenant(org.id, async (tenant) =>
        unwrap(tenant)
          .db('workspace_runs')
          .where({ id })
          .update({ phase: 'failed', reason, endedAt: new Date() }),
      )
      runs.push({ word, name, path: `/pipelines/${workspace.pipelineId}/runs/${id}` })
    }
  })
  afterAll(async () => {
    await browser?.close()
    await harness?.close()
  })

  test('each page says which end it is, and axe finds nothing', async () => {
    for (const width of [1440, 360] as const) {
      const view = { scheme: 'light', width } as const
      const { page, context, faults } = await visit(browser, harness, { user: owner, view })
      for (const { word, name, path } of runs) {
        await page.goto(path)
        await page.locator('.badge').getByText(word, { exact: true }).first().waitFor()
        expect(await page.locator('main').getByText('Failed', { exact: true }).count()).toBe(0)
        expect(await faultsInBothThemes(page, `end-${name}`)).toEqual([])
      }
      expect(faults).toEqual([])
      await context.close()
    }
  })

  test('Home counts none of them as a failure, and each has a filter of its own in both lists', async () => {
    const { page, context, faults } = await visit(browser, harness, { user: owner })
    await page.goto('/')
    await page.getByText('No run failed.').waitFor()
    await page.locator('.stat', { hasText: 'failed in the last day' }).getByText('0').waitFor()
    for (const { word, name } of runs)
      for (const [path, label] of [
        ['/runs', 'State'],
        ['/workspaces', 'Last run'],
      ] as const) {
        await page.goto(path)
        await page.getByLabel(label, { exact: true }).selectOption(word)
        const rows = page.locator('main a.row')
        await expect.poll(async () => rows.count()).toBe(1)
        expect(await rows.innerText()).toContain(name)
      }
    expect(faults).toEqual([])
    await context.close()
  })
})
