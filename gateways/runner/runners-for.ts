import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Config } from '../../config.ts'
import { maxPartBytes } from '../../domain/infrastructure/plan-part.ts'
import type { Sandbox } from '../sandbox/workbench.ts'
import { runnerPool, type RunnerPool } from './runner-pool.ts'

const megabyte = 1024 ** 2
/** A configuration's files, each in pages of its own, and what is set beside them. */
const configurationBytes = 24 * megabyte

/** The runners of this process, as the configuration says. */
export const runnersFor = (
  config: Pick<Config, 'dataDir' | 'runnerMemoryMb' | 'planJsonMaxMb'>,
  { cgroups }: Pick<Sandbox, 'cgroups'>,
): RunnerPool =>
  runnerPool({
    entry: fileURLToPath(new URL('../../runner/main.ts', import.meta.url)),
    // The service's own folder: an attacker who could write there could run code as the worker.
    codeCache: join(config.dataDir, 'compiled'),
    memoryBytes: config.runnerMemoryMb * megabyte,
    cgroups,
    // The files, the plan, and what policies see: the plan as JSON with its cost.
    filesBytes: configurationBytes + maxPartBytes.plan_file + 2 * config.planJsonMaxMb * megabyte,
  })
