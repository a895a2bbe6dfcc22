import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hashPassword } from '../../gateways/passwords/passwords.ts'
import { users } from '../../store/users/users.ts'
import { createHarness, type Harness } from '../harness/create-harness.ts'
import type { TestOrganization } from '../harness/test-organization.ts'
import type { TestUser } from '../harness/test-user.ts'
import { openBrowser, visit } from './browser.ts'
import { named, password } from './people.ts'
import { startInDialog } from './start-in-dialog.ts'

// Two people in two browsers: the author starts a production run, a second operator approves it.
describe('a production run', () => {
  let harness: Harness
  let browser: Browser
  beforeAll(async () => {
    ;[harness, browser] = await Promise.all([createHarness({ worker: true }), openBrowser()])
  })
  afterAll(async () => {
    await browser?.close()
    await harness?.close()
  })

  const withPassword = async (org: TestOrganization): Promise<TestUser> => {
    const user = await org.user('Deployer')
    const hash = await hashPassword(password)
    await harness.deps.store.tenant(org.id, async (tenant) =>
      users(tenant).setPassword(user.id, hash),
    )
    return user
  }

  test('by mouse: the author starts it, the second operator signs in and approves', async () => {
    const org = await harness.organization()
    const [author, operator] = [await withPassword(org), await withPassword(org)]
    const workspace = await org.workspace({ by: author, criticality: 'production' })
    const one = await visit(browser, harness, { user: author })
    const two = await visit(browser, harness)

    await one.page.goto('/')
    await one.page.getByRole('link', { name: 'Workspaces' }).click()
    await one.page.getByRole('link', { name: new RegExp(workspace.name) }).click()
    await startInDialog(one.page, 'Plan and ask a second person')
    await one.page.getByText('This run needs approval').waitFor()
    expect(await one.page.getByRole('button', { name: 'Approve…' }).count()).toBe(0)
    await one.page.getByText('terraform_data.one').first().waitFor()

    // Someone who knows the address and a password, and nothing else; each click is counted.
    const clicks: string[] = []
    const click = async (role: 'textbox' | 'button' | 'link', name: string | RegExp) => {
      clicks.push(`${role} ${String(name)}`)
      await two.page.getByRole(role, { name }).first().click()
    }
    await two.page.goto('/')
    await click('textbox', 'Email')
    await two.page.keyboard.type(operator.email)
    await click('textbox', 'Password')
    await two.page.keyboard.type(password)
    await click('button', 'Sign in')
    await click('link', /Needs approval/)
    await click('button', 'Approve…')
    await click('button', 'Approve and apply')
    await two.page.getByText('Succeeded').first().waitFor()
    console.log(`a newcomer approves in ${clicks.length} clicks: ${clicks.join(', ')}`)
    // Three of them sign in.
    expect(clicks.length).toBeLessThanOrEqual(7)

    // The author's own page goes on by itself.
    await one.page.getByText('Succeeded').first().waitFor()
    expect([...one.faults, ...two.faults]).toEqual([])
    await one.context.close()
    await two.context.close()
  })

  test('a new Owner gets from the sign-in to the first apply in six clicks', async () => {
    const org = await harness.organization()
    const owner = await named(harness, org, {
      name: 'Maria Lopez',
      role: 'Owner',
      withPassword: true,
    })
    const { page, context, faults } = await visit(browser, harness)
    const clicks: string[] = []
    const click = async (role: 'button' | 'link' | 'radio', name: string) => {
      clicks.push(name)
      await page.getByRole(role, { name, exact: true }).click()
    }
    await page.goto('/')
    await page.getByLabel('Email').fill(owner.email)
    await page.getByLabel('Password').fill(password)
    await click('button', 'Sign in')
    await click('link', 'Create a workspace')
    await page.getByRole('dialog').getByLabel('Name', { exact: true }).fill('shop')
    await click('button', 'Create workspace')
    // The first file is open, and whoever leaves it as it is loses nothing.
    await page.locator('.cm-focused').getByText('required_version').waitFor()
    await page.keyboard.press('Control+End')
    await page.keyboard.type('resource "terraform_data" "one" { input = "hello" }')
    await click('button', 'Run these files…')
    await click('radio', 'Plan and apply')
    await click('button', 'Start run')
    await page.getByRole('heading', { name: 'Run #1' }).waitFor()
    await page.getByText('Succeeded').first().waitFor()
    await page.getByText('terraform_data.one').first().waitFor()
    console.log(`the first apply: ${clicks.length} clicks: ${clicks.join(', ')}`)
    expect(clicks.length).toBeLessThanOrEqual(6)
    expect(faults).toEqual([])
    await context.close()
  })

  test('a new workspace that is left untouched asks nothing, and one with text asks first', async () => {
    const org = await harness.organization()
    const author = await withPassword(org)
    const { page, context, faults } = await visit(browser, harness, { user: author })
    for (const [name, typed] of [
      ['first', ''],
      ['second', '# mine'],
    ] as const) {
      await page.goto('/workspaces?create=true')
      await page.getByRole('dialog').getByLabel('Name', { exact: true }).fill(name)
      await page.getByRole('button', { name: 'Create workspace' }).click()
      await page.locator('.cm-focused').getByText('required_version').waitFor()
      await page.keyboard.type(typed)
      await page.getByRole('link', { name: 'Home', exact: true }).click()
      if (typed) await page.getByRole('dialog').getByText('Your changes to the files').waitFor()
      else await page.getByRole('heading', { name: 'Home' }).waitFor()
    }
    expect(faults).toEqual([])
    await context.close()
  })

  test('by keyboard alone: both people, from sign-in to the end', async () => {
    const org = await harness.organization()
    const [author, operator] = [await withPassword(org), await withPassword(org)]
    const workspace = await org.workspace({ by: author, criticality: 'production' })
    const people = []
    for (const user of [author, operator]) {
      const visitor = await visit(browser, harness)
      const { page } = visitor
      await page.goto('/login')
      const tabTo = async (name: RegExp) => {
        for (let presses = 0; presses < 60; presses += 1) {
          const label: unknown = await page.evaluate(
            `(() => { const e = document.activeElement; return (e.labels?.[0]?.textContent ?? e.getAttribute('aria-label') ?? e.textContent ?? '').trim() })()`,
          )
          const isBody = await page.evaluate('document.activeElement === document.body')
          if (!isBody && name.test(String(label))) return
          await page.keyboard.press('Tab')
        }
        throw new Error(`the keyboard does not get to ${String(name)}`)
      }
      await page.getByLabel('Email').waitFor()
      await tabTo(/^Email/)
      await page.keyboard.type(user.email)
      await tabTo(/^Password/)
      await page.keyboard.type(password)
      await page.keyboard.press('Enter')
      await page.getByRole('heading', { name: 'Home' }).waitFor()
      people.push({ ...visitor, tabTo })
    }
    const [one, two] = people
    if (!one || !two) throw new Error('two people are needed')

    await one.page.keyboard.press('g')
    await one.page.keyboard.press('w')
    await one.page.getByRole('heading', { name: 'Workspaces' }).waitFor()
    await one.page.getByText(workspace.name).waitFor()
    await one.tabTo(new RegExp(`^${workspace.name}`))
    await one.page.keyboard.press('Enter')
    await one.page.getByRole('button', { name: 'Start a run…' }).waitFor()
    await one.tabTo(/^Start a run/)
    await one.page.keyboard.press('Enter')
    await one.page.getByRole('dialog').waitFor()
    await one.tabTo(/^Start run/)
    await one.page.keyboard.press('Enter')
    await one.page.getByText('This run needs approval').waitFor()

    await two.page.getByRole('link', { name: /Needs approval/ }).waitFor()
    await two.tabTo(/Needs approval/)
    await two.page.keyboard.press('Enter')
    await two.page.getByText('This run needs your approval').waitFor()
    await two.page.keyboard.press('a')
    await two.page.getByRole('dialog').waitFor()
    await two.tabTo(/^Approve and apply/)
    await two.page.keyboard.press('Enter')

    await two.page.getByText('Succeeded').first().waitFor()
    await one.page.getByText('Succeeded').first().waitFor()
    expect([...one.faults, ...two.faults]).toEqual([])
    await one.context.close()
    await two.context.close()
  })
})
