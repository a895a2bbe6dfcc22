import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasBwrap, why } from '../gateways/sandbox/shell-sandbox.ts'
import { installAgent, type AgentProcess } from '../harness/agents/start-agent.ts'
import { applicationRun } from '../harness/application-run.ts'
import { gitHarness, peerMakers, type GitHarness } from '../harness/git/git-harness.ts'
import type { TestOrganization, TestWorkspace } from '../harness/test-organization.ts'
import type { TestUser } from '../harness/test-user.ts'
import { approveRelease } from './approve-release.ts'
import { seedApplication } from './application-world.ts'
import { shopFiles } from './shop-files.ts'
import { expectAccessible } from './axe.ts'
import { everyWidth, openBrowser, settle, visit } from './browser.ts'
import { faultsInBothThemes } from './in-both-themes.ts'
import { named } from './people.ts'
import { takePicture } from './picture.ts'
import { scrollThrough } from './scroll-through.ts'

const repo = 'northwind/shop'

// Everything is real: the Git host's clone, the sandbox, the signature, and two agents as processes.
describe.skipIf(!hasBwrap)(`applications (${why})`, () => {
  let harness: GitHarness
  let browser: Browser
  let org: TestOrganization
  let owner: TestUser
  let author: TestUser
  let approver: TestUser
  let workspace: TestWorkspace
  let pipeline: string
  const at: Record<string, string> = {}
  const folder = mkdtempSync(join(tmpdir(), 'cc-applications-'))
  const agents: AgentProcess[] = []
  const pageOf = (host: string) => readFileSync(join(folder, host, 'current/page'), 'utf8').trim()

  beforeAll(async () => {
    ;[harness, browser] = await Promise.all([gitHarness(peerMakers.gitlabPeer), openBrowser()])
    org = await harness.organization()
    owner = await named(harness, org, { name: 'Maria Lopez', role: 'Owner' })
    author = await named(harness, org, { name: 'Sam Okafor', role: 'Deployer' })
    // The authors of the repository's commits are nobody here, so it takes this role to approve them.
    approver = await named(harness, org, { name: 'Ines Weber', role: 'SRE · Cloud Admin' })
    workspace = await org.workspace({ by: owner, criticality: 'production' })
    await owner.patch(workspace.url, { name: 'shop-production' })
    await harness.peer.createRepository(repo, shopFiles())
    const connected = await owner.post(
      '/api/git/connections',
      harness.body(repo, { repoType: 'application' }),
    )
    expect(connected.statusCode, connected.body).toBe(201)
  })
  afterAll(async () => {
    await Promise.all(agents.map(async (agent) => agent.stop()))
    rmSync(folder, { recursive: true, force: true })
    await browser?.close()
    await harness?.close()
  })

  const button = (page: Page | Locator, name: string | RegExp) => page.getByRole('button', { name })
  const dialogOf = (page: Page) => page.getByRole('dialog')

  test('agents: one is added, its command is shown once, and it comes online', async () => {
    const { page, context, faults } = await visit(browser, harness, { user: owner })
    at['agents'] = `/workspaces/${workspace.id}?tab=agents`
    await page.goto(at['agents'])
    await page.getByText('No agents yet').waitFor()
    await expectAccessible(page, 'a workspace without agents')
    for (const name of ['web-1', 'web-2']) {
      await button(page, 'Add an agent').first().click()
      await dialogOf(page).getByLabel('Name', { exact: true }).fill(name)
      const labels = dialogOf(page).getByLabel('Labels (optional)')
      await labels.fill('role')
      await button(dialogOf(page), 'Make its token').click()
      expect(
        await page.evaluate('document.querySelector("dialog [name=labels]").validationMessage'),
      ).toMatch(/^Line 1/)
      await labels.fill('role=web')
      await button(dialogOf(page), 'Make its token').click()
      const install = await dialogOf(page).locator('.secret-once').first().innerText()
      await page.keyboard.press('Escape')
      await expectAccessible(page, 'the token of an agent')
      await button(dialogOf(page), 'I have it').click()
      const dir = join(folder, name)
      agents.push(installAgent(install, { url: harness.config.baseUrl, dir }))
    }
    const hosts = page.getByRole('list', { name: 'Hosts' }).getByRole('listitem')
    await expect
      .poll(
        async () => (await hosts.allInnerTexts()).filter((text) => /Online/.test(text)).length,
        {
          timeout: 60_000,
        },
      )
      .toBe(2)
    await button(page, 'Pause web-1').click()
    await button(page, 'Resume web-1').click()
    await button(page, 'Pause web-1').waitFor()
    await page.getByLabel('Filter by name or label').fill('role=web')
    await page.getByText('2 hosts').waitFor()
    expect(faults).toEqual([])
    await context.close()
  })

  test('a pipeline is created after its manifest was checked, and has variables and settings', async () => {
    const { page, context, faults } = await visit(browser, harness, { user: author })
    const dialog = dialogOf(page)
    await page.goto('/pipelines')
    await button(page, 'New pipeline').click()
    await dialog.getByText('The repository has no manifest yet').click()
    const text = dialog.getByLabel('Manifest', { exact: true })
    await expect.poll(async () => text.inputValue()).toMatch(/^version: 1/)
    await button(dialog, 'Check the manifest').click()
    await dialog.getByText('The manifest is valid.').waitFor()
    await text.fill('version: 1\nbuild:\n  comand: x\n')
    await button(dialog, 'Check the manifest').click()
    await button(dialog, 'Line 3, column 3').first().click()
    expect(await page.evaluate('document.activeElement.selectionStart')).toBe(20)
    await expectAccessible(page, 'a manifest with an error')
    await dialog.getByLabel('Name', { exact: true }).fill('shop')
    expect(await dialog.getByLabel('Repository').inputValue()).toBe(repo)
    await dialog.getByRole('combobox', { name: 'Target workspace (optional)' }).fill('shop')
    await dialog.getByRole('option', { name: 'shop-production' }).click()
    await dialog.getByLabel('A push to the branch').uncheck()
    await takePicture(page, 'application-create')
    await button(dialog, 'Create pipeline').click()
    await page.getByText('No runs yet').waitFor()
    pipeline = new URL(page.url()).pathname
    await expectAccessible(page, 'a pipeline without runs')

    await page.getByRole('link', { name: 'Variables' }).click()
    await button(page, 'New variable').click()
    await dialog.getByLabel('Key').fill('SHOP_PASSWORD')
    await dialog.getByLabel('Value').fill('the-password-of-the-shop')
    await dialog.getByLabel('Given to').selectOption({ label: 'hooks on the hosts' })
    await dialog.getByLabel(/^Sensitive/).check()
    await button(dialog, 'Save').click()
    await page.getByText('•••• sensitive, written only').waitFor()

    await page.getByRole('link', { name: 'Settings' }).click()
    await page.getByLabel('Minutes to wait for a first agent').fill('45')
    await page.getByLabel(/^A tag that fits/).fill('v*')
    await button(page, 'Save settings').click()
    await page.getByText('Saved.').waitFor()
    await page.reload()
    expect(await page.getByLabel('Minutes to wait for a first agent').inputValue()).toBe('45')
    Object.assign(at, {
      runs: pipeline,
      hosts: `${pipeline}?tab=hosts`,
      variables: `${pipeline}?tab=variables`,
      manifest: `${pipeline}?tab=manifest`,
      settings: `${pipeline}?tab=settings`,
    })
    expect(faults).toEqual([])
    await context.close()
  })

  test('a run is approved by a second person, deployed in steps, and gone back to', async () => {
    const { page, context, faults } = await visit(browser, harness, { user: author })
    const dialog = dialogOf(page)
    const start = async () => {
      await page.goto(pipeline)
      await button(page, 'Start a run…').click()
      await dialog.getByLabel('Message (optional)').fill('the first release')
      await button(dialog, 'Start run').click()
      await page.getByRole('heading', { level: 1, name: /^Run #/ }).waitFor()
      await page.getByText('This release needs approval').waitFor({ timeout: 120_000 })
      // Its starter reads why, and has no button that would be refused.
      await page.getByText(/by an unknown author, so approving it requires/).waitFor()
      expect(await button(page, /^Approve/).count()).toBe(0)
      return new URL(page.url()).pathname
    }
    const first = await start()
    await approveRelease({ browser, harness, approver }, first)
    expect(['web-1', 'web-2'].map(pageOf)).toEqual(['one', 'one'])
    await page.goto(`${first}?tab=log&stage=deploy`)
    await page.locator('.log-host').first().waitFor()

    await harness.peer.edit(repo, { write: { page: 'two\n' } })
    const second = await start()
    await page.goto(`${second}?tab=changes`)
    await page.getByText(/It is the same as in/).waitFor()
    await page.getByText('Commits since the last release').waitFor()
    await approveRelease({ browser, harness, approver }, second)
    expect(['web-1', 'web-2'].map(pageOf)).toEqual(['two', 'two'])

    await page.goto(first)
    await button(page, 'Roll back to this…').click()
    await expectAccessible(page, 'a rollback')
    await dialog.getByLabel('Comment (optional)').fill('two is slow')
    await button(dialog, 'Roll back').click()
    await page.getByRole('heading', { level: 1, name: 'Run #3' }).waitFor()
    const back = new URL(page.url()).pathname
    await page.getByText('two is slow').waitFor()
    await approveRelease({ browser, harness, approver }, back)
    expect(['web-1', 'web-2'].map(pageOf)).toEqual(['one', 'one'])
    await page.goto(at['hosts'] ?? '')
    await page
      .getByRole('link', { name: /^shop, Run #/ })
      .first()
      .waitFor()
    Object.assign(at, {
      'run-hosts': `${second}?tab=hosts`,
      'run-changes': `${first}?tab=changes`,
      'run-log': `${first}?tab=log&stage=deploy`,
      'run-timeline': `${back}?tab=timeline`,
      'signing-keys': '/organization/signing-keys',
    })
    expect(faults).toEqual([])
    await context.close()
  })

  for (const view of everyWidth)
    test(`${view.width} px wide: axe, width and a picture of each page, in both themes`, async () => {
      const { page, context, faults } = await visit(browser, harness, { user: owner, view })
      const wrong: string[] = []
      for (const [name, path] of Object.entries(at)) {
        await page.goto(path)
        wrong.push(...(await faultsInBothThemes(page, `application-${name}`)))
      }
      expect(wrong).toEqual([])
      expect(faults).toEqual([])
      await context.close()
    })

  test('a Viewer sees every page, and nothing that would be refused', async () => {
    const { page, context, faults } = await visit(browser, harness, {
      user: await named(harness, org, { name: 'Tom Reader', role: 'Viewer' }),
    })
    const changing =
      /^(Add|Pause|Resume|Change|New|Delete|Start|Save|Approve|Reject|Cancel|Stop|Let|Roll|Deploy|Replace|Edit)/
    for (const [name, path] of Object.entries(at)) {
      await page.goto(path)
      await settle(page)
      expect(await button(page, changing).count(), name).toBe(0)
    }
    await page.goto(at['run-hosts'] ?? '')
    await page.getByRole('link', { name: 'Provenance' }).waitFor()
    expect(await page.getByRole('link', { name: 'Download artifact' }).count()).toBe(0)
    expect(faults).toEqual([])
    await context.close()
  })

  test('the provenance is downloaded, and the artifact is the bytes of its digest', async () => {
    const { page, context } = await visit(browser, harness, { user: owner })
    await page.goto(at['run-hosts'] ?? '')
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Download artifact' }).click(),
    ])
    expect(download.suggestedFilename()).toMatch(/^shop-2\.tar\.zst$/)
    const [bundle] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Provenance' }).click(),
    ])
    expect(JSON.parse(readFileSync(await bundle.path(), 'utf8'))).toHaveProperty('dsseEnvelope')
    await context.close()
  })

  test('1,000 hosts: few rows are in the document; 50 newer runs: the release that runs is found', async () => {
    const many = await org.workspace({ by: owner })
    const seeded = await seedApplication(harness, owner, { workspaceId: many.id, hosts: 1_000 })
    const { page, context, faults } = await visit(browser, harness, { user: owner })
    for (const [path, list, last] of [
      [
        `/pipelines/${seeded.pipelineId}/runs/${seeded.deployed}?tab=hosts`,
        'Hosts by batch',
        'web-1000',
      ],
      [`/workspaces/${many.id}?tab=agents`, 'Hosts', 'web-1000'],
    ] as const) {
      await page.goto(path)
      const rows = page.getByRole('list', { name: list })
      await rows.getByText('web-1', { exact: true }).waitFor()
      await settle(page)
      await scrollThrough(page)
      await rows.getByText(last, { exact: true }).waitFor()
      expect(await rows.locator('[data-row]').count()).toBeLessThan(150)
      await page.getByRole('searchbox', { name: /^Filter by name/ }).fill('web-777')
      await rows.getByText('web-777', { exact: true }).waitFor()
      expect(await rows.locator('.row').count()).toBe(1)
    }
    // The release that runs is compared with, also behind more runs than a page of the list has.
    const { pipelineId, waiting } = seeded
    for (let n = 0; n < 50; n += 1)
      await applicationRun(harness.deps, org.id, { pipelineId, origin: 'push', authorUserId: null })
    await page.goto(`/pipelines/${pipelineId}/runs/${waiting}?tab=changes`)
    await page.getByText('What changed since Run #1, the last release.').waitFor()
    expect(faults).toEqual([])
    await context.close()
  })
})
