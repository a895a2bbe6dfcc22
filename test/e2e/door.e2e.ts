import { Secret, TOTP } from 'otpauth'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createHarness, type Harness } from '../harness/create-harness.ts'
import type { TestOrganization } from '../harness/test-organization.ts'
import { expectAccessible } from './axe.ts'
import { openBrowser, visit } from './browser.ts'
import { named, password } from './people.ts'

const codeOf = (secret: string, steps = 0) =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({
    timestamp: Date.now() + steps * 30_000,
  })

// Coming in, by every way, and what guards it.
describe('the door', () => {
  let harness: Harness
  let browser: Browser
  let org: TestOrganization
  beforeAll(async () => {
    ;[harness, browser] = await Promise.all([createHarness(), openBrowser()])
    org = await harness.organization()
  })
  afterAll(async () => {
    await browser?.close()
    await harness?.close()
  })

  const signIn = async (page: Page, email: string, secret = password) => {
    await page.getByLabel('Email').fill(email)
    await page.getByLabel('Password').fill(secret)
    await page.getByRole('button', { name: 'Sign in' }).click()
  }
  const linkIn = async (to: string, way: string): Promise<string> => {
    await expect.poll(() => harness.mails.findLast((mail) => mail.to === to)).toBeTruthy()
    const text = harness.mails.findLast((mail) => mail.to === to)?.text ?? ''
    return new RegExp(`https?://\\S*${way}#\\S+`).exec(text)?.[0] ?? ''
  }

  test('a wrong password says so, and the right one leads to where one wanted to be', async () => {
    const user = await named(harness, org, { name: 'Ada A', role: 'Viewer', withPassword: true })
    const { page, context } = await visit(browser, harness)
    await page.goto('/organization/roles')
    await signIn(page, user.email, 'not the password at all')
    await page.getByText('The email or the password is wrong.').waitFor()
    await signIn(page, user.email)
    await page.getByRole('columnheader', { name: /Viewer/ }).waitFor()
    await page.getByRole('button', { name: /^Account/ }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await page.getByText('You are signed out.').waitFor()
    expect(page.url()).toContain('signedout=1')
    await context.close()
  })

  test('a forgotten password: the mail’s link, a new one, and every session is over', async () => {
    const user = await named(harness, org, { name: 'Ben B', role: 'Viewer', withPassword: true })
    const { page, context } = await visit(browser, harness)
    await page.goto('/login')
    await page.getByRole('link', { name: 'Forgot your password?' }).click()
    // The page before has a field of this name too.
    await page.getByRole('button', { name: 'Send the link' }).waitFor()
    await page.getByLabel('Email').fill(user.email)
    await page.getByRole('button', { name: 'Send the link' }).click()
    await page.getByText('Check your mailbox').waitFor()
    await page.goto(await linkIn(user.email, '/password/reset'))
    await page.getByLabel('New password').fill('too short')
    await page.getByRole('button', { name: 'Change the password' }).click()
    await page.getByLabel('New password').fill('correct horse battery staple')
    await page.getByRole('button', { name: 'Change the password' }).click()
    await page.getByText('Your password is changed').waitFor()
    await signIn(page, user.email, 'correct horse battery staple')
    await page.getByRole('heading', { name: 'Home' }).waitFor()
    expect((await user.get('/api/auth/me')).statusCode).toBe(401)
    // The link works once.
    await page.goto(await linkIn(user.email, '/password/reset'))
    await page.getByLabel('New password').fill('another horse battery staple')
    await page.getByRole('button', { name: 'Change the password' }).click()
    await page.getByRole('link', { name: 'Ask for a new link' }).waitFor()
    await context.close()
  })

  test('an invitation: the mail’s link, a password, and one is in', async () => {
    const owner = await named(harness, org, { name: 'Cleo C', role: 'Owner' })
    const to = 'guest@northwind.example'
    await owner.post('/api/org/users', { email: to, name: 'Guest', role: 'Deployer' })
    const { page, context } = await visit(browser, harness)
    await page.goto(await linkIn(to, '/invitations/accept'))
    await page.getByLabel('Your name').fill('Gina Guest')
    await page.getByLabel('Choose a password').fill('correct horse battery staple')
    await page.getByRole('button', { name: 'Accept and sign in' }).click()
    await page.getByRole('heading', { name: 'Home' }).waitFor()
    await page.getByRole('button', { name: /Gina Guest/ }).waitFor()
    await context.close()
  })

  test('a second factor: set up by QR code, asked at sign-in, recovered, removed', async () => {
    const user = await named(harness, org, { name: 'Dan D', role: 'Viewer', withPassword: true })
    const { page, context, faults } = await visit(browser, harness, { user })
    await page.goto('/account')
    await page.getByRole('button', { name: 'Set up a second factor…' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('img', { name: /QR code/ }).waitFor()
    expect(await dialog.locator('.qr-code path').getAttribute('d')).toMatch(/^M\d/)
    await expectAccessible(page, 'the QR code')
    const secret = ((await dialog.locator('.digest').textContent()) ?? '').replaceAll(' ', '')
    await dialog.getByLabel(/^2\. Type/).fill('000000')
    await dialog.getByRole('button', { name: 'Activate' }).click()
    await dialog.getByRole('alert').waitFor()
    await dialog.getByLabel(/^2\. Type/).fill(codeOf(secret, -1))
    await dialog.getByRole('button', { name: 'Activate' }).click()
    await dialog.getByText('Your recovery codes').waitFor()
    await expectAccessible(page, 'the recovery codes')
    const codes = await dialog.locator('.recovery-codes code').allTextContents()
    expect(codes).toHaveLength(10)
    await dialog.getByRole('button', { name: 'I have kept them' }).click()
    await page.getByText('✓ active').waitFor()
    await context.close()

    for (const code of [codeOf(secret), codes[0] ?? '']) {
      const next = await visit(browser, harness)
      await next.page.goto('/account')
      await signIn(next.page, user.email)
      await next.page.getByRole('heading', { name: 'Second step' }).waitFor()
      await expectAccessible(next.page, 'the second step')
      // Focus is where one goes on.
      await next.page.keyboard.type('111111')
      await next.page.keyboard.press('Enter')
      await next.page.getByText('The code is wrong or was used already.').waitFor()
      await next.page.getByLabel('Code').fill(code)
      await next.page.getByRole('button', { name: 'Sign in' }).click()
      await next.page.getByRole('heading', { name: 'Your account' }).waitFor()
      if (code === codes[0]) {
        await next.page.getByRole('button', { name: 'Remove the second factor…' }).click()
        await next.page.getByLabel('Code').fill(codes[1] ?? '')
        await next.page.getByRole('button', { name: 'Remove it' }).click()
        await next.page.getByText('not set up').waitFor()
      }
      await next.context.close()
    }
    expect(faults).toEqual([])
  })

  test('one’s own password and sessions: changed, and ended elsewhere', async () => {
    const user = await named(harness, org, { name: 'Eve E', role: 'Viewer', withPassword: true })
    const one = await visit(browser, harness)
    const two = await visit(browser, harness)
    for (const { page } of [one, two]) {
      await page.goto('/account')
      await signIn(page, user.email)
      await page.getByRole('heading', { name: 'Your account' }).waitFor()
    }
    // Opened before the other one was there; a person comes back to the tab, which asks again.
    await one.page.reload()
    const there = one.page.getByRole('button', { name: /^Sign out .*Chrome/ })
    await there.first().click()
    await two.page.getByRole('link', { name: 'Workspaces' }).click()
    await two.page.getByText('Your session is over.').waitFor()
    await one.page.getByLabel('Current password').fill('not the password at all')
    await one.page.getByLabel('New password').fill('correct horse battery staple')
    await one.page.getByRole('button', { name: 'Change the password' }).click()
    await one.page.getByText('The password is wrong.').waitFor()
    await one.page.getByLabel('Current password').fill(password)
    await one.page.getByRole('button', { name: 'Change the password' }).click()
    await one.page.getByText('Changed. Your other sessions are ended.').waitFor()
    await one.context.close()
    await two.context.close()
  })
})
