import { once } from 'node:events'
import { constants } from 'node:os'
import type { LaunchedStep } from './launch.ts'
import { oomKills } from './oom-kills.ts'
import { readOutput, type StepOutput } from './read-output.ts'
import { type StepEnding, stepEnding } from './step-ending.ts'
import type { Step, StepEnd } from './workbench.ts'

export type Watch = {
  /** Set if the kernel does not limit the size of the work folder. */
  isOverQuota?: () => Promise<boolean>
  graceMs: number
  /** Of this host, unless said. */
  oomKills?: () => number
}

/** Reads a step to its end, and ends it when it is canceled or exceeds a limit. */
export async function superviseStep(
  launched: LaunchedStep,
  step: Step,
  watch: Watch,
): Promise<StepEnd> {
  const { child } = launched
  const ending = stepEnding(launched, watch.graceMs)
  const countOomKills = watch.oomKills ?? oomKills
  const oomKillsBefore = countOomKills()
  const output = readOutput(launched, step, ending)
  // Awaited below, after the exit; until then a rejection is nobody's.
  output.done.catch(() => {})
  const look = lookAt({ launched, step, ending, output, watch })
  const ticker = every(lookEveryMs, look)
  const timeout = setTimeout(() => ending.interrupt('timed_out'), step.limits.timeoutMs)
  const cancel = () => ending.interrupt('canceled')
  step.signal?.addEventListener('abort', cancel, { once: true })
  if (step.signal?.aborted) cancel()

  // A program may end without reading its input.
  launched.stdin.on('error', () => {})
  launched.stdin.end(step.stdin ?? '')
  try {
    // once() rejects on `error`: the program could not be started.
    const [code, signal] = await once(child, 'exit')
    const exitCode = code as number | null
    const died = (signal as string | null) ?? signalOf(exitCode)
    // Without a cgroup the kernel does not say of which process it was. Steps are the first that it kills.
    const isOfHost = died === 'SIGKILL' && countOomKills() > oomKillsBefore
    const outOfMemory = ending.how
      ? undefined
      : (launched.outOfMemory() ?? (isOfHost ? 'host' : undefined))
    if (outOfMemory) ending.kill('killed', 'memory')
    launched.kill()
    try {
      await output.done
    } finally {
      // Also when a reader of ours failed, nobody of the step may be left.
      await launched.gone()
    }
    return {
      how: ending.how ?? (died ? 'killed' : 'exited'),
      ...(ending.limit ? { limit: ending.limit } : {}),
      ...(outOfMemory === 'host' ? { ofHost: true as const } : {}),
      exitCode,
      signal: died,
      ...output.captured(),
    }
  } finally {
    ending.settle()
    clearTimeout(timeout)
    clearInterval(ticker)
    step.signal?.removeEventListener('abort', cancel)
  }
}

const lookEveryMs = 250
const leftoverMs = 2000

type Look = {
  launched: LaunchedStep
  step: Step
  ending: StepEnding
  output: StepOutput
  watch: Watch
}

/** Checks once everything that no signal or kernel limit reports. */
function lookAt({ launched, step, ending, output, watch }: Look): () => Promise<void> {
  return async () => {
    const { exitCode, signalCode } = launched.child
    if (exitCode !== null || signalCode !== null) {
      if (output.quietMs() > leftoverMs) output.abandon()
      return
    }
    if (output.quietMs() > step.limits.silenceMs) ending.interrupt('silent')
    if ((await launched.memoryBytes()) > step.limits.memoryBytes) ending.kill('killed', 'memory')
    if (await watch.isOverQuota?.()) ending.kill('killed', 'disk')
  }
}

/** Like setInterval, but never overlapping. */
function every(ms: number, work: () => Promise<void>): NodeJS.Timeout {
  let working = false
  return setInterval(() => {
    if (working) return
    working = true
    void work()
      .catch(() => {})
      .finally(() => (working = false))
  }, ms)
}

/** bwrap and shells report a program that signal n killed as exit code 128 + n. */
function signalOf(exitCode: number | null): string | null {
  if (exitCode === null || exitCode <= 128) return null
  const found = Object.entries(constants.signals).find(([, number]) => number === exitCode - 128)
  return found?.[0] ?? null
}
