import type { Benches, Step, StepEnd, Workbench } from '../sandbox/workbench.ts'
import { knownCapabilities, opaCapabilities } from './opa-capabilities.ts'
import { evaluationLimits, policyLimits } from './policy-limits.ts'

/** Opens a workbench in which OPA sees policies and their input, without a network and other files. */
export async function withPolicyBench<Result>(
  sandbox: Benches,
  options: { label: string; sizeBytes: number; capabilities?: string | undefined },
  use: (bench: PolicyBench) => Promise<Result>,
): Promise<Result> {
  const workbench = await sandbox.open({
    label: options.label,
    sizeBytes: options.sizeBytes + spareBytes,
  })
  try {
    await workbench.makeFolder(folder)
    const capabilities =
      options.capabilities ??
      (await opaCapabilities(sandbox, (args) => runOpa(workbench, { args, cwd: folder })))
    await workbench.write(`${folder}/${capabilitiesFile}`, capabilities)
    return await use({
      write: (path, content) => workbench.write(`${folder}/${path}`, content),
      makeFolder: (path) => workbench.makeFolder(`${folder}/${path}`),
      run: ({ cwd, ...step }) => runOpa(workbench, { ...step, cwd: `${folder}/${cwd}` }),
    })
  } finally {
    await workbench.close()
  }
}

/** What OPA may do in this sandbox, for an evaluation in another process. */
export async function opaCapabilitiesOf(sandbox: Benches): Promise<string> {
  const options = { label: 'policy-capabilities', sizeBytes: 0 }
  return (
    knownCapabilities(sandbox) ??
    withPolicyBench(sandbox, options, async () => knownCapabilities(sandbox) ?? '')
  )
}

/** Paths are relative to the folder of the policies. */
export type PolicyBench = {
  write(path: string, content: string): Promise<void>
  makeFolder(path: string): Promise<void>
  run(step: OpaStep): Promise<StepEnd>
}

export type OpaStep = {
  args: readonly string[]
  cwd: string
  timeoutMs?: number
  /** Size of the input, if there is one: a large one needs more memory and time. */
  inputBytes?: number
  signal?: AbortSignal
  stdin?: Buffer
  /** Of `policyLimits.outputBytes` at most, which is what counts without it. */
  captureBytes?: number
}

export const capabilitiesFile = 'capabilities.json'

const folder = 'policies'
const spareBytes = 16 * 1024 * 1024

function runOpa(
  workbench: Workbench,
  { args, cwd, timeoutMs, inputBytes = 0, signal, stdin, captureBytes }: OpaStep,
): Promise<StepEnd> {
  const allowed = evaluationLimits(inputBytes)
  const limitMs = Math.min(timeoutMs ?? allowed.timeoutMs, allowed.timeoutMs)
  // Of the limit, 64 MiB are left for what Go does not count.
  const goMebibytes = Math.floor(allowed.memoryBytes / 1024 / 1024) - 64
  const step: Step = {
    program: 'opa',
    args,
    // Go collects garbage before the limit is reached; two threads are enough.
    env: { GOMEMLIMIT: `${goMebibytes}MiB`, GOMAXPROCS: '2' },
    cwd,
    readOnly: [folder],
    network: 'none',
    limits: {
      timeoutMs: limitMs,
      // OPA says nothing until it is done.
      silenceMs: limitMs,
      memoryBytes: allowed.memoryBytes,
      processes: 64,
      fileSizeBytes: 1024 * 1024,
    },
    captureBytes: captureBytes ?? policyLimits.outputBytes,
    ...(stdin && { stdin }),
    ...(signal && { signal }),
  }
  return workbench.run(step)
}
