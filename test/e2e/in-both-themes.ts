import type { Page } from 'playwright-core'
import { expectAccessible, rulesOfColor } from './axe.ts'
import { expectNoSideways, settle } from './browser.ts'
import { takePicture } from './picture.ts'

/**
 * What is wrong with a page that is open in the light theme, which it has again at the end. A theme changes
 * colors alone, so the page is opened once, and in the dark one only the rules of colors are asked.
 */
export async function faultsInBothThemes(page: Page, name: string): Promise<string[]> {
  const wrong: string[] = []
  const note = (error: Error) => void wrong.push(error.message)
  const width = page.viewportSize()?.width ?? 0
  for (const [scheme, rules] of [['light'], ['dark', rulesOfColor]] as const) {
    await page.emulateMedia({ colorScheme: scheme })
    await settle(page)
    await takePicture(page, `${name}-${scheme}-${width}`)
    await expectAccessible(page, `${name}, ${scheme}`, rules).catch(note)
  }
  await expectNoSideways(page, name).catch(note)
  await page.emulateMedia({ colorScheme: 'light' })
  return wrong
}
