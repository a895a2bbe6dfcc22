import { resolve } from 'node:path'
import type { Environment } from './environment.ts'

type SandboxKind = 'bubblewrap' | 'process'

/** The programs with which a worker plans and applies, and their limits. */
export type RunsConfig = Readonly<{
  sandbox: SandboxKind
  /** The folder for the sandboxes' work folders. Default: derived from the data directory. */
  workDir: string | undefined
  tofuBin: string | undefined
  opaBin: string | undefined
  /** The path of an OpenTofu CLI configuration (mirrors, caches) for every run. */
  tofuCliConfig: string | undefined
  tofuSlots: number
  /** The maximum size of a plan as JSON. */
  planJsonMaxMb: number
  /** The memory limit of a runner, the process that handles a run's data. A runner over it is killed. */
  runnerMemoryMb: number
  /** How long a stopping worker lets its running applies continue before it interrupts them. */
  shutdownGraceSeconds: number
}>

export function readRuns({ values, production, faults, number }: Environment): RunsConfig {
  return {
    sandbox: readSandbox(values['CC_SANDBOX'] ?? 'bubblewrap', production, faults),
    workDir: values['CC_WORK_DIR'] ? resolve(values['CC_WORK_DIR']) : undefined,
    tofuBin: values['CC_TOFU_BIN'],
    opaBin: values['CC_OPA_BIN'],
    tofuCliConfig: values['CC_TOFU_CLI_CONFIG'],
    tofuSlots: number('CC_TOFU_SLOTS', 4),
    planJsonMaxMb: number('CC_PLAN_JSON_MAX_MB', 32, [1, 512]),
    runnerMemoryMb: number('CC_RUNNER_MEMORY_MB', 1_024, [256, 65_536]),
    shutdownGraceSeconds: number('CC_SHUTDOWN_GRACE_SECONDS', 300),
  }
}

function readSandbox(value: string, production: boolean, faults: string[]): SandboxKind {
  if (value !== 'bubblewrap' && value !== 'process')
    faults.push(`CC_SANDBOX=${value} is neither "bubblewrap" nor "process"`)
  if (production && value === 'process')
    faults.push('CC_SANDBOX=process is refused in production: install bubblewrap and unset it')
  return value === 'process' ? 'process' : 'bubblewrap'
}
