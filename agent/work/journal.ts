import {
  closeSync,
  fsyncSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { flushFolder } from '../disk/write-durably.ts'
import { errnoOf, Refusal } from '../faults.ts'
import { bootOf, type HookProcess } from '../hooks/process-group.ts'
import type { Action, HookName } from '../service/read-claim.ts'

export type HookState = 'succeeded' | 'failed' | 'timed_out' | 'interrupted' | 'stopped'
/** A hook that runs, or ran, with a place of its own in the deployment: `health` may run a second time. */
export type HookStep = HookName | 'health-back' | 'activate-back'

export const nameOf = (step: HookStep): HookName => {
  if (step === 'health-back') return 'health'
  return step === 'activate-back' ? 'activate' : step
}

export type HookEnd = { state: HookState; exitCode: number | null; durationMs: number }

export type Entry =
  /** Once a claim: after a restart the same action has another fence. */
  | ({ is: 'begun' } & Begun)
  /** Which folder the release has on this host, and whether it was there already. */
  | { is: 'placed'; folder: string; reused: boolean }
  | { is: 'unpacked' }
  /** Noted before the first instruction of the hook: without it, nothing of the hook was run. */
  | { is: 'hook-runs'; step: HookStep; process: HookProcess; exitFile?: string; atMs?: number }
  | ({ is: 'hook-end'; step: HookStep } & HookEnd)
  /** The agent is about to end the hook, so an exit code from now on is none of the hook's own. */
  | { is: 'hook-cut'; step: HookStep }
  /** The agent was killed before it let the hook begin. */
  | { is: 'hook-unbegun'; step: HookStep }
  | { is: 'switching'; to: string; from: string | null }
  | { is: 'switched' }
  | { is: 'switching-back' }
  | { is: 'switched-back' }
  | { is: 'result'; body: Record<string, unknown> }
  | { is: 'taken' }
  /** The service cannot read the result. It stays, so that a later claim runs no hook again. */
  | { is: 'result-refused'; status: number; code: string }

/** `action` is missing in journals of earlier agents. */
type Begun = { id: string | number; fence: string | number; action?: Action }

export type Journal = {
  folder: string
  entries: readonly Entry[]
  /**
   * Notes a claim. A deployment can ask a host for several actions, such as `install` and then `activate`, or `deploy`
   * and then `rollback`: what the journal has of an earlier one is removed.
   */
  begin(claim: Required<Begun>): void
  /** Durable when it returns. */
  note(entry: Entry): void
  /** The same for `hook-cut`, but a disk that is full does not keep the hook from being ended. */
  noteCut(step: HookStep): void
  /** The last entry of a kind. */
  last<K extends Entry['is']>(is: K): Extract<Entry, { is: K }> | undefined
  /** Undefined if the hook was never begun. Without an end it was cut, and its last process may still run. */
  hook(step: HookStep): { end: HookEnd | undefined } | undefined
  /** The name of a file in the folder that no hook had before. */
  nextExitFile(): string
  /** Whether the hook `install` was begun in the folder as it is, and did not end. */
  wasInstallCut(): boolean
  /** Finished hooks in the order of their ends. */
  finished(): ({ name: HookName } & HookEnd)[]
  close(): void
}

const file = 'journal'

/** The journal of a host's action: one line of JSON a step, each on the disk before the next step begins. */
export function openJournal(deployments: string, id: string | number): Journal {
  const folder = join(deployments, String(id))
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const path = join(folder, file)
  const { entries, length } = readEntries(path)
  const lines = openLines(path, length)
  if (length === 0) {
    flushFolder(folder)
    flushFolder(deployments)
  }
  const indexOf = (is: Entry['is'], step?: HookStep) =>
    entries.findLastIndex(
      (entry) => entry.is === is && (!step || ('step' in entry && entry.step === step)),
    )

  const journal: Journal = {
    folder,
    entries,
    begin(claim) {
      if (isOfAnother(entries, claim.action)) {
        lines.clear()
        entries.length = 0
      }
      journal.note({ is: 'begun', ...claim })
    },
    note(entry) {
      lines.append(JSON.stringify(entry))
      entries.push(entry)
    },
    last: (is) =>
      entries.findLast((entry): entry is Extract<Entry, { is: typeof is }> => entry.is === is),
    hook(step) {
      const isBegun = indexOf('hook-runs', step) > indexOf('hook-unbegun', step)
      const end = entries[indexOf('hook-end', step)]
      const known = end?.is === 'hook-end' ? end : undefined
      return isBegun || known ? { end: known } : undefined
    },
    noteCut(step) {
      try {
        journal.note({ is: 'hook-cut', step })
      } catch (error) {
        if (!(error instanceof Refusal) && errnoOf(error) === undefined) throw error
      }
    },
    wasInstallCut: () => wasInstallCut(entries),
    finished: () => entries.flatMap(asFinished),
    nextExitFile: () => `exit-${journal.last('begun')?.fence}-${entries.length}`,
    close: lines.close,
  }
  const found = withoutAgent(folder, entries)
  if (found) journal.note(found)
  return journal
}

/** Whether the journal's last action is over, or is another one. */
function isOfAnother(entries: readonly Entry[], action: Action): boolean {
  const begun = entries.findLast((entry) => entry.is === 'begun')
  const isOther = begun?.action !== undefined && begun.action !== action
  return isOther || entries.at(-1)?.is === 'taken'
}

/** A file of lines, without what a crash left of the last one. */
function openLines(path: string, length: number) {
  const descriptor = openSync(path, 'a', 0o600)
  ftruncateSync(descriptor, length)
  if (length === 0) fsyncSync(descriptor)
  let end = length
  return {
    /** Durable when it returns. */
    append(text: string): void {
      const line = Buffer.from(`${text}\n`)
      if (writeSync(descriptor, line) < line.length) {
        // Half a line would spoil the next one.
        ftruncateSync(descriptor, end)
        throw new Refusal('disk_full', 'the journal cannot be written')
      }
      end += line.length
      fsyncSync(descriptor)
    },
    /** Durable with the next line. */
    clear(): void {
      ftruncateSync(descriptor, 0)
      end = 0
    },
    close: (): void => closeSync(descriptor),
  }
}

function asFinished(entry: Entry): ({ name: HookName } & HookEnd)[] {
  if (entry.is !== 'hook-end') return []
  const { step, state, exitCode, durationMs } = entry
  return [{ name: nameOf(step), state, exitCode, durationMs }]
}

function wasInstallCut(entries: readonly Entry[]): boolean {
  const last = entries.findLast(
    (entry) => entry.is === 'unpacked' || ('step' in entry && entry.step === 'install'),
  )
  return last?.is === 'hook-runs' || last?.is === 'hook-cut'
}

export type ReadJournal = { folder: string; entries: Entry[] }

/** The journals that are there: of the deployment that this agent was given last. */
export function readJournals(deployments: string): ReadJournal[] {
  return readdirSync(deployments).map((name) => {
    const folder = join(deployments, name)
    return { folder, entries: readEntries(join(folder, file)).entries }
  })
}

/**
 * The process of a hook that no agent waits for any more and that is to be ended: it was cut, or it failed and may have
 * left something running. What a cut one writes from now on counts no more. One that succeeded may have started a
 * server, which goes on.
 */
export function takeLeftover(deployments: string, id: string): HookProcess | undefined {
  // Opening it notes what the hook did while no agent ran.
  const journal = openJournal(deployments, id)
  try {
    const at = journal.entries.findLastIndex(({ is }) => is === 'hook-runs')
    const run = journal.entries[at]
    if (run?.is !== 'hook-runs' || journal.last('result')) return undefined
    const later = journal.entries.slice(at)
    const end = later.findLast((entry) => entry.is === 'hook-end')
    const isOver = end?.state === 'succeeded' || later.some(({ is }) => is === 'hook-unbegun')
    if (isOver) return undefined
    if (!end) journal.noteCut(run.step)
    return run.process
  } finally {
    journal.close()
  }
}

/** The longest time limit of a hook is an hour. */
const longestMs = 3_600_000

/** The last hook, if the journal says neither that it ended nor that the agent ended it. */
function lastHook(entries: readonly Entry[]): Extract<Entry, { is: 'hook-runs' }> | undefined {
  const last = entries.findLast(({ is }) => is.startsWith('hook-'))
  return last?.is === 'hook-runs' ? last : undefined
}

/**
 * What the last hook did while no agent ran: it ended, or it never began. A failed `health` has no end, as it may be
 * tried again. A power loss can take the file, and its content.
 */
function withoutAgent(
  folder: string,
  entries: readonly Entry[],
): Extract<Entry, { is: 'hook-end' | 'hook-unbegun' }> | undefined {
  const last = lastHook(entries)
  if (last?.exitFile === undefined) return undefined
  const { step, process, exitFile, atMs } = last
  try {
    const path = join(folder, exitFile)
    const text = readFileSync(path, 'utf8')
    if (!/^[0-9]{1,3}\n$/.test(text)) return undefined
    const exitCode = Number(text)
    const state = exitCode === 0 ? 'succeeded' : 'failed'
    if (state === 'failed' && nameOf(step) === 'health') return undefined
    // By the clock of the host, which may have been set meanwhile.
    const tookMs = Math.round(statSync(path).mtimeMs - (atMs ?? 0))
    const durationMs = Math.min(Math.max(0, tookMs), longestMs)
    return { is: 'hook-end', step, state, exitCode, durationMs }
  } catch (error) {
    if (errnoOf(error) !== 'ENOENT') throw error
    const isSameBoot = process.boot !== '' && process.boot === bootOf()
    return isSameBoot ? { is: 'hook-unbegun', step } : undefined
  }
}

/** A deployment whose result the service has not confirmed. */
export function heldBy(
  entries: readonly Entry[],
): { deploymentId: string | number; fence: string | number } | undefined {
  const begun = entries.findLast((entry) => entry.is === 'begun')
  if (!begun || entries.at(-1)?.is === 'taken') return undefined
  return { deploymentId: begun.id, fence: begun.fence }
}

export function removeOtherJournals(deployments: string, id: string | number): void {
  for (const name of readdirSync(deployments))
    if (name !== String(id)) rmSync(join(deployments, name), { recursive: true, force: true })
}

function readEntries(path: string): { entries: Entry[]; length: number } {
  try {
    const text = readFileSync(path, 'utf8')
    const whole = text.slice(0, text.lastIndexOf('\n') + 1)
    // Written by this file alone.
    const entries = whole
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as Entry)
    return { entries, length: Buffer.byteLength(whole) }
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return { entries: [], length: 0 }
    throw error
  }
}
