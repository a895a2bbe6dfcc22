import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createHarness, type Harness } from '../harness/create-harness.ts'
import type { TestUser } from '../harness/test-user.ts'
import { expectAccessible } from './axe.ts'
import { expectNoSideways, openBrowser, settle, views, visit } from './browser.ts'
import { named } from './people.ts'

describe('labels and descriptions', () => {
  let harness: Harness
  let browser: Browser
  let owner: TestUser
  let viewer: TestUser
  let shop: string
  let pipeline: number
  beforeAll(async () => {
    ;[harness, browser] = await Promise.all([createHarness(), openBrowser()])
    const org = await harness.organization()
    owner = await named(harness, org, { name: 'Maria Lopez', role: 'Owner' })
    viewer = await named(harness, org, { name: 'Tom Reader', role: 'Viewer' })
    for (const [name, team] of [
      ['shop', 'payments'],
      ['data', 'analytics'],
      ['mail', 'payments'],
    ]) {
      const workspace = await org.workspace({ by: owner })
      await owner.patch(workspace.url, { name, labels: { team }, description: `The ${name}.` })
      await owner.post(`${workspace.url}/plan`, { message: `Plan of ${name}` })
      if (name !== 'shop') continue
      shop = workspace.url.replace('/api', '')
      const made = await owner.post('/api/pipelines', {
        name: 'nightly',
        kind: 'infrastructure',
        targetWorkspaceId: workspace.id,
      })
      pipeline = made.json().pipeline.id
    }
  })
  afterAll(async () => {
    await browser?.close()
    await harness?.close()
  })

  const names = async (page: Page) => page.locator('main a.row strong').allInnerTexts()
  const labelsOf = (page: Page) => JSON.parse(new URL(page.url()).searchParams.get('label') ?? '[]')

  test('a list is narrowed by the keyboard, the address keeps it, and Back returns to it', async () => {
    const { page, context, faults } = await visit(browser, harness, { user: viewer })
    await page.goto('/workspaces')
    await settle(page)
    await page.getByLabel('Label', { exact: true }).focus()
    await page.keyboard.type('team=payments')
    await page.keyboard.press('Enter')
    await expect.poll(async () => names(page)).toEqual(['mail', 'shop'])
    expect(labelsOf(page)).toEqual(['team=payments'])
    await page.getByText('The mail.').click()
    await page.getByRole('heading', { name: 'mail' }).waitFor()
    await page.getByText('The mail.').waitFor()
    await page.goBack()
    await expect.poll(async () => names(page)).toEqual(['mail', 'shop'])
    await page.getByRole('button', { name: 'Remove the label team=payments' }).click()
    await expect.poll(async () => names(page)).toEqual(['data', 'mail', 'shop'])
    // What is no label does nothing.
    await page.goto('/workspaces?label=%5B%22Team%22%2C7%5D')
    await expect.poll(async () => names(page)).toEqual(['data', 'mail', 'shop'])
    await page.goto('/runs')
    await page.getByLabel('Label', { exact: true }).fill('team=analytics')
    await page.keyboard.press('Enter')
    await expect.poll(async () => names(page)).toEqual(['data'])
    expect(faults).toEqual([])
    await context.close()
  })

  test('they are changed in the settings, and a line that is no label is not sent', async () => {
    const { page, context, faults } = await visit(browser, harness, { user: owner })
    await page.goto(`${shop}?tab=settings`)
    const field = page.getByLabel('Labels')
    await field.fill('team=payments\nTier')
    await page.getByRole('button', { name: 'Save settings' }).click()
    const refused = await page.evaluate(`document.querySelector('[name=labels]').validationMessage`)
    expect(refused).toMatch(/^Line 2: write a name/)
    expect(await page.getByText('Saved.').count()).toBe(0)
    await field.fill('team=payments\ntier=1')
    await page.getByLabel('Description').fill('Sells things.')
    await page.getByRole('button', { name: 'Save settings' }).click()
    await page.getByText('Saved.').waitFor()
    await page.getByRole('link', { name: 'tier=1' }).click()
    await expect.poll(async () => names(page)).toEqual(['shop'])
    await page.getByText('Sells things.').waitFor()

    await page.goto(`/pipelines/${pipeline}`)
    await page.getByRole('button', { name: 'Edit labels…' }).click()
    await page.getByRole('dialog').getByLabel('Labels').fill('when=night')
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
    await page.getByRole('link', { name: 'when=night' }).click()
    await expect.poll(async () => names(page)).toEqual(['nightly'])
    expect(labelsOf(page)).toEqual(['when=night'])
    expect(faults).toEqual([])
    await context.close()
  })

  test('another person changes them while the dialog is open: a save of the description keeps theirs', async () => {
    const { targetWorkspaceId } = (await owner.get(`/api/pipelines/${pipeline}`)).json().pipeline
    const made = await owner.post('/api/pipelines', {
      name: 'hourly',
      kind: 'infrastructure',
      targetWorkspaceId,
    })
    const url = `/api/pipelines/${made.json().pipeline.id}`
    await owner.patch(url, { labels: { when: 'hour' } })
    const { page, context, faults } = await visit(browser, harness, { user: owner })
    await page.goto(url.replace('/api', ''))
    await page.getByRole('button', { name: 'Edit labels…' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Description').fill('Each hour.')
    await owner.patch(url, { labels: { when: 'dawn' } })
    await page.evaluate(`dispatchEvent(new Event('online'))`)
    await page.getByText('when=dawn').waitFor()
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.waitFor({ state: 'detached' })
    const { labels, description } = (await owner.get(url)).json().pipeline
    expect({ labels, description }).toEqual({
      labels: { when: 'dawn' },
      description: 'Each hour.',
    })
    expect(faults).toEqual([])
    await context.close()
  })

  test('the labels in use are offered where one filters and where one writes them', async () => {
    const { page, context, faults } = await visit(browser, harness, { user: owner })
    await page.goto('/runs')
    await page.getByLabel('Label', { exact: true }).focus()
    const options = page.locator('.label-filter datalist option')
    await expect
      .poll(async () => options.evaluateAll((all) => all.map((one) => one.getAttribute('value'))))
      .toContain('team=analytics')
    await page.goto(`${shop}?tab=settings`)
    const field = page.getByLabel('Labels')
    const offer = (label: string) => page.getByRole('button', { name: `Add the label ${label}` })
    await field.fill('tier=1\nana')
    await offer('team=analytics').focus()
    await page.keyboard.press('Enter')
    expect(await field.inputValue()).toBe('tier=1\nteam=analytics\n')
    // A second value of the same key would be refused.
    expect(await offer('team=payments').count()).toBe(0)
    await field.fill('')
    await offer('team=payments').waitFor()
    expect(faults).toEqual([])
    await context.close()
  })

  test('the command palette finds by a label', async () => {
    const { page, context } = await visit(browser, harness, { user: viewer })
    await page.goto('/')
    await settle(page)
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: /^Search pages/ }).waitFor()
    await page.keyboard.type('team=payments')
    await page.getByRole('option', { name: /^mail/ }).waitFor()
    await page.getByRole('option', { name: 'Workspaces with the label team=payments' }).click()
    await expect.poll(async () => names(page)).toEqual(['mail', 'shop'])
    await context.close()
  })

  test('axe and width of the lists with labels', async () => {
    for (const view of views) {
      const { page, context } = await visit(browser, harness, { user: owner, view })
      for (const path of [
        '/workspaces?label=%5B%22team%3Dpayments%22%5D',
        '/pipelines?label=%5B%22when%3Dnight%22%5D',
        shop,
        `${shop}?tab=settings`,
      ]) {
        await page.goto(path)
        await settle(page)
        await expectAccessible(page, path)
        await expectNoSideways(page, path)
      }
      await context.close()
    }
  })
})
