import type { Locator } from 'playwright-core'
import { textIn } from './text-in.ts'

/** Replaces the text of an editor by keys. `fill` selects without the editor's knowledge. */
export async function retype(editor: Locator, text: string): Promise<void> {
  await textIn(editor)
  await editor.focus()
  const keyboard = editor.page().keyboard
  await keyboard.press('Control+a')
  await keyboard.insertText(text)
}
