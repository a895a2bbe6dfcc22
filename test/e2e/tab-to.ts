import type { Page } from 'playwright-core'
import { focused } from './focused.ts'

/** As many controls as a page of these tests has. */
const most = 120

/** Presses Tab until what has the focus has this name. A control that the keyboard does not reach is an error. */
export async function tabTo(page: Page, name: string | RegExp): Promise<void> {
  const passed: string[] = []
  for (let presses = 0; presses < most; presses += 1) {
    await page.keyboard.press('Tab')
    const now = String(await focused(page)).trim()
    if (typeof name === 'string' ? now === name : name.test(now)) return
    passed.push(now.slice(0, 40))
  }
  throw new Error(`Tab does not reach ${name}. It reaches: ${[...new Set(passed)].join(' | ')}`)
}

/** Presses what Tab reaches by this name. */
export async function press(page: Page, name: string | RegExp, key = 'Enter'): Promise<void> {
  await tabTo(page, name)
  await page.keyboard.press(key)
}

/** Writes into the field that Tab reaches by this name, in place of what it has. */
export async function write(page: Page, name: string | RegExp, text: string): Promise<void> {
  await tabTo(page, name)
  await page.keyboard.press('Control+a')
  await page.keyboard.type(text)
}
