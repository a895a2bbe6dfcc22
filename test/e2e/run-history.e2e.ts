import { setTimeout as sleep } from 'node:timers/promises'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createHarness, type Harness } from '../harness/create-harness.ts'
import { awaits, isOver, runUntil, startRun } from '../harness/runs.ts'
import type { TestWorkspace } from '../harness/test-organization.ts'
import type { TestUser } from '../harness/test-user.ts'
import { expectAccessible } from './axe.ts'
import { expectNoSideways, openBrowser, settle, views, visit } from './browser.ts'
import { named } from './people.ts'

describe('the history of runs', () => {
  let harness: Harness
  let browser: Browser
  let owner: TestUser
  let viewer: TestUser
  let workspace: TestWorkspace
  let run: string
  beforeAll(async () => {
    ;[harness, browser] = await Promise.all([createHarness({ worker: true }), openBrowser()])
    const org = await harness.organization()
    owner = await named(harness, org, { name: 'Maria Lopez', role: 'Owner', platformAdmin: true })
    viewer = await named(harness, org, { name: 'Tom Reader', role: 'Viewer' })
    const author = await named(harness, org, { name: 'Sam Okafor', role: 'Deployer' })
    workspace = await org.workspace({ by: author, criticality: 'production' })
    const { id } = await startRun(author, workspace)
    await runUntil(author, { workspace, id }, awaits)
    // A wait under half a second has no bar of its own.
    await sleep(1_000)
    await owner.post(`/api/pipelines/${workspace.pipelineId}/runs/${id}/approve`, {})
    await runUntil(author, { workspace, id }, isOver)
    run = `/pipelines/${workspace.pipelineId}/runs/${id}`
  })
  afterAll(async () => {
    await browser?.close()
    await harness?.close()
  })

  test('charts on Home and on the workspace, with their figures in words', async () => {
    for (const view of views) {
      const { page, context, faults } = await visit(browser, harness, { user: viewer, view })
      for (const path of ['/', `/workspaces/${workspace.id}`]) {
        await page.goto(path)
        const charts = page.getByRole('region', { name: 'The last 30 days' })
        await charts.getByRole('img', { name: 'Runs a day: 1 run, 0 failed' }).waitFor()
        await charts.getByRole('img', { name: /^Lead time: .+ from start to applied$/ }).waitFor()
        await charts.getByRole('img', { name: /^Changes a week: 1 resource/ }).waitFor()
        await settle(page)
        await expectAccessible(page, path)
        await expectNoSideways(page, path)
      }
      expect(faults).toEqual([])
      await context.close()
    }
  })

  test('the timeline separates work from waiting, and links the workflow for administrators alone', async () => {
    for (const [user, links] of [
      [owner, 1],
      [viewer, 0],
    ] as const) {
      const { page, context, faults } = await visit(browser, harness, { user })
      await page.goto(`${run}?tab=timeline`)
      const bars = page.getByRole('region', { name: 'Where the time went' })
      await bars.getByText('Waits for a person').waitFor()
      expect(
        (await bars.locator('.bar-name').allInnerTexts()).filter((name) =>
          /^(Plan|Apply)$/.test(name),
        ),
      ).toEqual(['Plan', 'Apply'])
      expect(await bars.innerText()).toMatch(/worked .+ waited /)
      const link = page.getByRole('link', { name: 'Open its workflow in Temporal’s UI' })
      const hasUi = (await user.get('/api/auth/me')).json().temporalUiUrl !== null
      expect(await link.count()).toBe(hasUi ? links : 0)
      await expectAccessible(page, 'the timeline')
      expect(faults).toEqual([])
      await context.close()
    }
  })

  test('help and what is new are in the account menu', async () => {
    const { page, context, faults } = await visit(browser, harness, { user: viewer })
    await page.goto('/')
    await settle(page)
    await page.getByRole('button', { name: /^Account/ }).click()
    await page.getByRole('menuitem', { name: 'What is new' }).click()
    await page.getByRole('heading', { name: 'What is new' }).waitFor()
    await expectAccessible(page, 'help')
    expect(faults).toEqual([])
    // The reference is of another program, whose inline styles its policy refuses.
    await page.goto('/docs')
    await page.getByText('Rules that judge each plan.').waitFor()
    await context.close()
  })
})
