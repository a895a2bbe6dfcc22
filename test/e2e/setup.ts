import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { buildConsole } from '../../scripts/start/build-console.ts'
import startEngines from '../setup/global-setup.ts'

/** The engines of every test, and the console as it is now. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { signal } = new AbortController()
  await buildConsole({ root: join(import.meta.dirname, '../..'), say: console.log, signal })
  return startEngines(project)
}
