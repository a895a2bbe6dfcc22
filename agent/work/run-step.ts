import { join } from 'node:path'
import { hookEnv, type Phase } from '../hooks/hook-env.ts'
import { runHook, type HookExit } from '../hooks/run-hook.ts'
import { pause } from '../service/backoff.ts'
import { Halted } from '../faults.ts'
import type { Hook, HookName, Hooks } from '../service/read-claim.ts'
import type { Work } from './context.ts'
import { nameOf, type HookEnd, type HookStep } from './journal.ts'

export type Step = {
  step: HookStep
  /** Of the release whose hook it is. */
  folder: string
  hooks: Hooks
  phase?: Phase
  backTo?: string
}

const betweenTriesMs = 1_000

/**
 * Runs the hook of a step, once in the life of a deployment. After a crash a finished one keeps its result, also if it finished
 * while no agent ran; one that was cut is run again, but for `activate`, which may have half changed the host, unless the manifest calls it repeatable.
 * Undefined if the release has no such hook.
 */
export async function runStep(work: Work, step: Step): Promise<HookEnd | undefined> {
  const { journal, lease, output } = work
  const name = nameOf(step.step)
  const hook = step.hooks[name]
  if (!hook) return undefined
  const before = journal.hook(step.step)
  if (before?.end) return before.end
  if (before && name === 'activate' && !hook.repeatable)
    return endStep(work, step.step, { state: 'interrupted', exitCode: null, durationMs: 0 })
  await lease.assertHeld()

  lease.report({ name, state: 'running', exitCode: null, durationMs: 0 })
  output.say('info', `hook ${name}: ${hook.path}`)
  const begun = performance.now()
  output.beginHook()
  const exit = await lease
    .duringHook(async () => runTries(work, { ...step, hook, name }))
    .finally(() => output.endHook())
  const durationMs = Math.round(performance.now() - begun)
  // One that was ended for a lost lease or the agent's end counts as cut, so its end is not noted.
  if (exit.state === 'stopped' && haltOf(lease.signal) !== 'stopped') {
    lease.signal.throwIfAborted()
    throw new Halted('ending')
  }
  if (exit.state !== 'succeeded')
    output.say('error', `hook ${name} ${inWords(exit)} after ${durationMs} ms`)
  const end = endStep(work, step.step, { state: exit.state, exitCode: exit.exitCode, durationMs })
  lease.signal.throwIfAborted()
  return end
}

/** One try, or for health as many as fit into its time. */
async function runTries(
  work: Work,
  { hook, name, ...step }: Step & { hook: Hook; name: HookName },
): Promise<HookExit> {
  const { deployment, releases, journal, lease, output, ending, ended } = work
  const path = releases.pathOf(step.folder)
  const env = hookEnv(deployment.env, {
    phase: step.phase ?? name,
    digest: `sha256:${step.folder.slice(0, 64)}`,
    path,
    backTo: step.backTo,
  })
  const until = performance.now() + hook.timeoutMs
  for (;;) {
    const exitFile = journal.nextExitFile()
    const exit = await runHook({
      folder: path,
      path: hook.path,
      env,
      output: output.descriptor,
      timeoutMs: Math.max(1, until - performance.now()),
      signal: AbortSignal.any([lease.signal, ended]),
      exitFile: join(journal.folder, exitFile),
      onStart: (process) =>
        journal.note({ is: 'hook-runs', step: step.step, process, exitFile, atMs: Date.now() }),
      onCut: () => journal.noteCut(step.step),
    })
    const isLast = until - performance.now() <= betweenTriesMs || exit.isFinal
    if (name !== 'health' || exit.state !== 'failed' || isLast) return exit
    await pause(betweenTriesMs, AbortSignal.any([lease.signal, ending]))
    lease.signal.throwIfAborted()
    ending.throwIfAborted()
  }
}

function endStep(work: Work, step: HookStep, end: HookEnd): HookEnd {
  work.journal.note({ is: 'hook-end', step, ...end })
  work.lease.report({ name: nameOf(step), ...end })
  return end
}

const haltOf = (signal: AbortSignal): string | undefined =>
  signal.reason instanceof Halted ? signal.reason.halt : undefined

const inWords = ({ state, exitCode, why }: HookExit): string =>
  why ??
  (exitCode === null || state !== 'failed'
    ? state.replace('_', ' ')
    : `failed with exit code ${exitCode}`)
