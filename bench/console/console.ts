import { join } from 'node:path'
import { buildConsole } from '../../scripts/start/build-console.ts'
import { startPlatform } from '../start-platform.ts'
import { measureInteractions } from './interactions.ts'
import { measureFirstPages } from './lighthouse.ts'

const say = (line: string): void => console.log(line)

/** The console in Chromium against the parts of `npm start`: first pages, then clicks and keys on large ones. */
export async function consoleSuite(): Promise<boolean> {
  const root = join(import.meta.dirname, '../..')
  const { signal } = new AbortController()
  await buildConsole({ root, say, signal })
  const platform = await startPlatform(say)
  try {
    const answers = await measureInteractions(platform)
    return (await measureFirstPages(platform)) && answers
  } finally {
    await platform.stop()
  }
}
