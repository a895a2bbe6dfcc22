import type { Browser, Locator, Page } from 'playwright-core'
import { expect } from 'vitest'
import type { Harness } from '../harness/create-harness.ts'
import type { TestUser } from '../harness/test-user.ts'
import { expectAccessible } from './axe.ts'
import { settle, visit } from './browser.ts'
import { takePicture } from './picture.ts'

/** Approves the release and confirms its first step, as the second person sees both. */
export async function approveRelease(
  { browser, harness, approver }: { browser: Browser; harness: Harness; approver: TestUser },
  path: string,
): Promise<void> {
  const { page, context, faults } = await visit(browser, harness, { user: approver })
  const dialog = page.getByRole('dialog')
  const button = (at: Page | Locator, name: string) => at.getByRole('button', { name })
  await page.goto(path)
  await page.getByText('This release needs your approval').waitFor()
  await settle(page)
  await takePicture(page, 'application-run-waiting')
  await page.keyboard.press('a')
  expect(await dialog.locator('.digest').innerText()).toMatch(/^(sha256:)?[0-9a-f]{64}$/)
  await expectAccessible(page, 'the approval of a release')
  await dialog.getByLabel('Comment (optional)').fill('Looked at with the shop team.')
  await button(dialog, 'Approve and deploy').click()
  await page.getByText('The deployment waits after step 1').waitFor()
  await page.getByRole('link', { name: 'Hosts' }).click()
  await page.getByRole('heading', { name: /^Batch 1/ }).waitFor()
  await takePicture(page, 'application-run-step')
  await expectAccessible(page, 'a deployment between two steps')
  await button(page, 'Let it go on…').click()
  await button(dialog, 'Let it go on').click()
  await page.locator('.run-bar').getByText('Succeeded').waitFor()
  await page.getByText('2 hosts · 2 healthy').first().waitFor()
  expect(faults).toEqual([])
  await context.close()
}
