import { join } from 'node:path'
import { startRunner } from '../../../gateways/runner/start-runner.ts'

/** Starts a runner that shows one fault of odd-runner.ts. */
export const startOddRunner = (what: string) =>
  startRunner({
    entry: join(import.meta.dirname, 'odd-runner.ts'),
    args: [what],
    memoryBytes: 256 * 1024 ** 2,
  })
