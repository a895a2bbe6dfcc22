import type { Locator } from 'playwright-core'

/** The text in an editor, once it is loaded. Of a long text the editor has only the lines in sight. */
export async function textIn(editor: Locator): Promise<string> {
  const lines = editor.locator('.cm-line')
  await lines.first().waitFor()
  return (await lines.allTextContents()).join('\n')
}
