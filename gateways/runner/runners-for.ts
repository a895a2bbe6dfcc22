import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Config } from '../../config.ts'
import { runnerPool, type RunnerPool } from './runner-pool.ts'

/** The runners of this process, as the configuration says. */
export const runnersFor = (config: Pick<Config, 'dataDir' | 'runnerMemoryMb'>): RunnerPool =>
  runnerPool({
    entry: fileURLToPath(new URL('../../runner/main.ts', import.meta.url)),
    // The service's own folder: whoever could write there could run code as the worker.
    args: [join(config.dataDir, 'compiled')],
    memoryBytes: config.runnerMemoryMb * 1024 ** 2,
  })
