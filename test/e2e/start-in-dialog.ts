import type { Page } from 'playwright-core'

type Kind = 'Plan only' | 'Plan and ask me' | 'Plan and ask a second person' | 'Plan and apply'

/** Starts a run by the dialog of the page that is shown. */
export async function startInDialog(page: Page, kind: Kind): Promise<void> {
  await page.getByRole('button', { name: 'Start a run…' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('radio', { name: kind, exact: true }).check()
  await dialog.getByRole('button', { name: 'Start run' }).click()
  await dialog.waitFor({ state: 'detached' })
}
