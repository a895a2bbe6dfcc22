import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'

const folder = join(import.meta.dirname, '../.output/screenshots')

/** A picture of the page for a person to look at, where `CC_PICTURES=1` asks for them: a run without them is shorter. */
export async function takePicture(
  page: Page,
  name: string,
  { fullPage = false }: { fullPage?: boolean } = {},
): Promise<void> {
  if (process.env['CC_PICTURES'] !== '1') return
  mkdirSync(folder, { recursive: true })
  await page.screenshot({ path: join(folder, `${name}.png`), fullPage })
}
