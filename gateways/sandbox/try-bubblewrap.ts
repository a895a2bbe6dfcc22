import { unavailable } from '../../domain/errors.ts'
import type { Launcher } from './launch.ts'
import { superviseStep } from './supervise-step.ts'
import type { Step } from './workbench.ts'

/** Runs `true` in bubblewrap once, so that a host where it does not work is reported at the start. */
export async function tryBubblewrap(launch: Launcher): Promise<void> {
  const words: string[] = []
  const step: Step = {
    program: 'tofu',
    args: [],
    env: {},
    cwd: '',
    network: 'none',
    limits: {
      timeoutMs: 10_000,
      silenceMs: 10_000,
      memoryBytes: 256 * 1024 * 1024,
      processes: 64,
      fileSizeBytes: 1024,
    },
    onLine: (_stream, line) => void words.push(line),
  }
  // Any folder serves: nothing is written.
  const program = '/usr/bin/true'
  const bench = { root: '/usr', uid: undefined, program, enterNetwork: [], tmpfsBytes: 0 }
  const end = await superviseStep(launch(bench, step), step, { graceMs: 1000 })
  if (end.how === 'exited' && end.exitCode === 0) return
  throw unavailable('sandbox_unavailable', `bubblewrap cannot run here: ${words.join(' ')}`)
}
