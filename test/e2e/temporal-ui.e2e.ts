import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startEngines, type Engines } from '../../engines/start-engines.ts'
import { createHarness, type Harness } from '../harness/create-harness.ts'
import { isOver, runUntil, startRun } from '../harness/runs.ts'
import type { TestOrganization } from '../harness/test-organization.ts'
import { openBrowser, settle, visit } from './browser.ts'
import { named } from './people.ts'
import { takePicture } from './picture.ts'

/** What the UI's pages (2.54.1) write to the browser's console, and why nothing is wrong. */
const harmless = [
  // Chromium on our policy's `sandbox`, which still blocks popups and navigation of other windows.
  'An iframe which has both allow-scripts and allow-same-origin for its sandbox attribute',
  // The result of a workflow that returns nothing has no bytes (`binary/null`); the UI reads it as JSON.
  'Could not parse payload:  SyntaxError: Unexpected end of JSON input',
]

// Temporal's own UI behind the API, on an embedded Temporal that has run something.
describe('Temporal’s UI', () => {
  let dataDir: string
  let engines: Engines
  let harness: Harness
  let browser: Browser
  let org: TestOrganization
  beforeAll(async () => {
    dataDir = mkdtempSync(join(tmpdir(), 'cc-ui-e2e-'))
    chmodSync(dataDir, 0o711)
    engines = await startEngines({ dataDir, throwaway: true, say: () => undefined })
    await engines.uiSettled
    ;[harness, browser] = await Promise.all([
      createHarness({ worker: true, env: engines.temporalEnv }),
      openBrowser(),
    ])
    org = await harness.organization()
  })
  afterAll(async () => {
    await browser?.close()
    await harness?.close()
    await engines?.stop()
    rmSync(dataDir, { recursive: true, force: true })
  })

  test('a platform administrator follows a run into it, and reads its history', async () => {
    const about = { name: 'Maria Lopez', role: 'Owner', platformAdmin: true } as const
    const admin = await named(harness, org, about)
    const workspace = await org.workspace({ by: admin })
    const { id } = await startRun(admin, workspace)
    await runUntil(admin, { workspace, id }, isOver)

    const { page, context, faults } = await visit(browser, harness, { user: admin })
    const refused: string[] = []
    page.on('response', (response) => {
      if (response.status() >= 400) refused.push(`${response.status()} ${response.url()}`)
    })
    // The start page is the list of the product's own namespace, which is not the test's.
    const list = `/temporal/namespaces/${harness.config.temporal.namespace}/workflows`
    await page.goto(list)
    await page.getByText(`org-${org.id}/infra-run/${id}`).first().waitFor()
    await takePicture(page, 'temporal-list')
    await page.goto(`/pipelines/${workspace.pipelineId}/runs/${id}`)
    const link = page.getByRole('link', { name: 'Open in Temporal’s UI' })
    const href = await link.getAttribute('href')
    await page.goto(href ?? '')
    await page.getByText('infrastructureRun').first().waitFor()
    await page.getByText('applyRun • tofu apply of the stored plan').first().waitFor()
    await page.getByText('Result', { exact: true }).first().waitFor()
    await takePicture(page, 'temporal-workflow')
    const unknown = faults.filter((text) => !harmless.some((start) => text.startsWith(start)))
    expect({ unknown, refused }).toEqual({ unknown: [], refused: [] })
    await context.close()
  })

  test('others get the page of an address that there is not', async () => {
    const owner = await named(harness, org, { name: 'Ines Weber', role: 'Owner' })
    for (const user of [owner, undefined]) {
      const { page, context, faults } = await visit(browser, harness, user ? { user } : {})
      const answer = await page.goto('/temporal/')
      expect(answer?.status()).toBe(404)
      await settle(page)
      // Who is not signed in is asked to do so first, as at each address.
      if (user) await page.getByRole('heading', { name: 'There is no such page' }).waitFor()
      else await page.getByLabel('Email').waitFor()
      await takePicture(page, `temporal-${user ? 'owner' : 'nobody'}`)
      expect(await page.content()).not.toContain('_app/')
      expect(faults).toEqual([])
      await context.close()
    }
  })
})
