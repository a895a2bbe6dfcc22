import { errnoOf, Halted, messageOf, Refusal } from '../faults.ts'
import type { HookName, Hooks } from '../service/read-claim.ts'
import type { Work } from './context.ts'
import type { HookEnd, HookStep } from './journal.ts'
import { prepareRelease } from './prepare-release.ts'
import { runStep } from './run-step.ts'

/** Of a deployment: what is sent beside the fence, the release and the hooks. */
export type Outcome = {
  ok: boolean
  hook?: HookName
  exitCode?: number | null
  message?: string
  refused?: boolean
}

/**
 * Does what a deployment asks for, from the step on that its journal names. Throws `Halted` for a lost lease and for
 * the end of the agent, where there is no outcome.
 */
export async function perform(work: Work): Promise<Outcome> {
  try {
    const outcome = await actions[work.deployment.action](await verified(work))
    if (!outcome.ok && outcome.message) work.output.say('error', outcome.message)
    return outcome
  } catch (error) {
    const { halt } = error instanceof Halted ? error : { halt: undefined }
    if (halt === 'stopped') return { ok: false, message: 'stopped' }
    if (halt) throw error
    const why = error instanceof Refusal ? error.message : `failed: ${faultOf(error)}`
    work.output.say('error', why)
    return {
      ok: false,
      message: why.slice(0, 500),
      ...(error instanceof Refusal && error.refused && { refused: true }),
    }
  }
}

/**
 * Before anything else, with what was signed in place of what the service says. The keys may be newer than those that
 * are known: a rotation is learned from a heartbeat.
 */
async function verified(work: Work): Promise<Work> {
  const { trust, deployment, lease, output } = work
  const verify = async () => {
    try {
      return trust.verify(deployment)
    } catch {
      await lease.ask()
      return trust.verify(deployment)
    }
  }
  const signed = await verify()
  output.say('info', `release ${deployment.release.digest} is signed by a trusted key`)
  return { ...work, deployment: signed }
}

/** Of an error of the system its code and call, and no path of the host. */
const faultOf = (error: unknown): string =>
  errnoOf(error) === undefined ? messageOf(error) : `${errnoOf(error)}`

const actions: Record<Work['deployment']['action'], (work: Work) => Promise<Outcome>> = {
  async deploy(work) {
    const prepared = await prepareRelease(work)
    return prepared.failed ? failed('install', prepared.failed) : goLive(work, prepared.folder)
  },

  async install(work) {
    const { folder, failed: end } = await prepareRelease(work)
    if (end) return failed('install', end)
    const health = await runStep(work, {
      step: 'health',
      folder,
      hooks: work.deployment.hooks,
      phase: 'staged',
    })
    return health && health.state !== 'succeeded' ? failed('health', health) : { ok: true }
  },

  async activate(work) {
    return goLive(work, (await prepareRelease(work)).folder)
  },

  async rollback(work) {
    const { folder, failed: end } = await prepareRelease(work)
    if (end) return failed('install', end)
    const { deployment } = work
    const { hooks } = deployment
    const from = leftBy(work)
    const fault = await undo(work, { from, to: folder, hooks, again: 'activate' })
    await work.lease.assertHeld()
    switchTo(work, { to: folder, from })
    const health = await runStep(work, { step: 'health', folder, hooks })
    if (health && health.state !== 'succeeded') return failed('health', health)
    return fault ?? { ok: true }
  },

  async verify(work) {
    const { deployment, releases } = work
    const folder = releases.current()
    if (folder === null || releases.running()?.digest !== deployment.release.digest)
      return { ok: false, message: 'other_release: this host runs another release' }
    const health = await runStep(work, { step: 'health', folder, hooks: deployment.hooks })
    return health && health.state !== 'succeeded' ? failed('health', health) : { ok: true }
  },
}

/** `activate`, the switch, `health`; and back, if the release is not healthy after the switch. */
async function goLive(work: Work, folder: string): Promise<Outcome> {
  const { deployment } = work
  const { hooks } = deployment
  const activate = await runStep(work, { step: 'activate', folder, hooks })
  if (activate && activate.state !== 'succeeded') return failed('activate', activate)
  await work.lease.assertHeld()
  const from = leftBy(work)
  switchTo(work, { to: folder, from })
  const health = await runStep(work, { step: 'health', folder, hooks })
  if (!health || health.state === 'succeeded') {
    await sweep(work, from)
    return { ok: true }
  }
  const outcome = failed('health', health)
  const before = from === null || from === folder ? undefined : work.releases.known(from)
  if (from === null || !before)
    return { ...outcome, message: `${outcome.message}; there is no earlier release to go back to` }
  return goBack(work, { folder, from, hooks: before.hooks }, outcome)
}

/** `rollback`, switch back, `health` of the release before. */
async function goBack(
  work: Work,
  { folder, from, hooks }: { folder: string; from: string; hooks: Hooks },
  outcome: Outcome,
): Promise<Outcome> {
  const { journal, lease, releases } = work
  const fault = await undo(work, { from: folder, to: from, hooks, again: 'activate-back' })
  await lease.assertHeld()
  if (!journal.last('switched-back')) {
    journal.note({ is: 'switching-back' })
    releases.switchTo(from)
    journal.note({ is: 'switched-back' })
    work.output.say('info', 'switched back to the release before')
  }
  const health = await runStep(work, { step: 'health-back', folder: from, hooks })
  const isBack = !health || health.state === 'succeeded'
  const note = isBack ? 'the release before is healthy' : 'the release before is not healthy either'
  return {
    ...outcome,
    message: `${outcome.message}; went back, ${note}${fault ? `; ${fault.message}` : ''}`,
  }
}

/**
 * The hook `rollback` of the release that is left. Where it has none, `activate` of the release that comes back is its
 * counterpart. Says what failed: the switch back comes all the same.
 */
async function undo(
  work: Work,
  { from, to, hooks, again }: { from: string | null; to: string; hooks: Hooks; again: HookStep },
): Promise<Outcome | undefined> {
  if (from === to) return undefined
  const left = from === null ? undefined : hooksOf(work, from)
  if (from === null || !left?.rollback) {
    const end = await runStep(work, { step: again, folder: to, hooks })
    return end && end.state !== 'succeeded' ? failed('activate', end) : undefined
  }
  const backTo = work.releases.pathOf(to)
  const end = await runStep(work, { step: 'rollback', folder: from, hooks: left, backTo })
  return end && end.state !== 'succeeded' ? failed('rollback', end) : undefined
}

function switchTo(work: Work, { to, from }: { to: string; from: string | null }): void {
  const { journal, releases, deployment } = work
  if (journal.last('switched')) return
  journal.note({ is: 'switching', to, from })
  const known = releases.known(to)
  if (known)
    releases.remember(to, {
      ...known,
      runId: deployment.release.runId,
      hooks: deployment.hooks,
      usedAt: new Date().toISOString(),
    })
  releases.switchTo(to)
  journal.note({ is: 'switched' })
  work.output.say('info', `current is ${deployment.release.digest}`)
}

/** The release that ran before the switch, also after a restart. */
const leftBy = ({ journal, releases }: Work): string | null => {
  const switching = journal.last('switching')
  return switching ? switching.from : releases.current()
}

/** Of the release of this deployment they are in its claim. */
const hooksOf = ({ releases }: Work, folder: string): Hooks | undefined =>
  releases.known(folder)?.hooks

async function sweep({ releases, deployment, output, say }: Work, from: string | null) {
  try {
    const removed = await releases.keepNewest(deployment.keep, from === null ? [] : [from])
    if (removed.length > 0) output.say('info', `removed ${removed.length} old releases`)
  } catch (error) {
    // The release is live; a full or damaged disk is told of by the next deployment.
    say('warn', 'old releases could not be removed', { why: messageOf(error) })
  }
}

function failed(hook: HookName, { state, exitCode }: HookEnd): Outcome {
  const how =
    state === 'failed' && exitCode !== null
      ? `failed with exit code ${exitCode}`
      : (howItEnded[state] ?? state)
  return { ok: false, hook, exitCode, message: `hook ${hook} ${how}` }
}

const howItEnded: Record<string, string> = {
  failed: 'could not be run',
  timed_out: 'did not end in its time',
  interrupted: 'was interrupted, and is not repeatable',
  stopped: 'was stopped',
}
