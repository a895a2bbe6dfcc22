import {
  closeSync,
  fsyncSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { flushFolder } from '../disk/write-durably.ts'
import { errnoOf, Refusal } from '../faults.ts'
import type { HookName } from '../service/read-claim.ts'

export type HookState = 'succeeded' | 'failed' | 'timed_out' | 'interrupted' | 'stopped'
/** A hook that runs, or ran, with a place of its own in the deployment: `health` may run a second time. */
export type HookStep = HookName | 'health-back' | 'activate-back'

export const nameOf = (step: HookStep): HookName => {
  if (step === 'health-back') return 'health'
  return step === 'activate-back' ? 'activate' : step
}

export type HookEnd = { state: HookState; exitCode: number | null; durationMs: number }

export type Entry =
  /** Once a claim: after a restart the same deployment has another fence. */
  | { is: 'begun'; id: string | number; fence: string | number }
  /** Which folder the release has on this host, and whether it was there already. */
  | { is: 'placed'; folder: string; reused: boolean }
  | { is: 'unpacked' }
  /** Noted before the first instruction of the hook: without it, nothing of the hook was run. */
  | { is: 'hook-runs'; step: HookStep; process: HookProcess }
  | ({ is: 'hook-end'; step: HookStep } & HookEnd)
  | { is: 'switching'; to: string; from: string | null }
  | { is: 'switched' }
  | { is: 'switching-back' }
  | { is: 'switched-back' }
  | { is: 'result'; body: Record<string, unknown> }
  | { is: 'taken' }

/** Enough to tell after a crash whether a process is still that hook. */
export type HookProcess = { pid: number; startTicks: string; boot: string }

export type Journal = {
  folder: string
  /** Durable when it returns. */
  note(entry: Entry): void
  /** The last entry of a kind. */
  last<K extends Entry['is']>(is: K): Extract<Entry, { is: K }> | undefined
  /** Undefined if the hook was never begun. Without an end it was cut, and its last process may still run. */
  hook(step: HookStep): { end: HookEnd | undefined } | undefined
  /** Whether the hook `install` was begun in the folder as it is, and did not end. */
  wasInstallCut(): boolean
  /** Finished hooks in the order of their ends. */
  finished(): ({ name: HookName } & HookEnd)[]
  close(): void
}

const file = 'journal'

/** The journal of a deployment: one line of JSON a step, each on the disk before the next step begins. */
export function openJournal(deployments: string, id: string | number): Journal {
  const folder = join(deployments, String(id))
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const path = join(folder, file)
  const { entries, length } = readEntries(path)
  let end = length
  const descriptor = openSync(path, 'a', 0o600)
  // A crash can leave half a line.
  ftruncateSync(descriptor, length)
  if (length === 0) {
    fsyncSync(descriptor)
    flushFolder(folder)
    flushFolder(deployments)
  }
  const indexOf = (is: Entry['is'], step?: HookStep) =>
    entries.findLastIndex(
      (entry) => entry.is === is && (!step || ('step' in entry && entry.step === step)),
    )

  return {
    folder,
    note(entry) {
      const line = Buffer.from(`${JSON.stringify(entry)}\n`)
      if (writeSync(descriptor, line) < line.length) {
        // Half a line would spoil the next one.
        ftruncateSync(descriptor, end)
        throw new Refusal('disk_full', 'the journal cannot be written')
      }
      end += line.length
      fsyncSync(descriptor)
      entries.push(entry)
    },
    last: (is) =>
      entries.findLast((entry): entry is Extract<Entry, { is: typeof is }> => entry.is === is),
    hook(step) {
      const begun = indexOf('hook-runs', step)
      const end = entries[indexOf('hook-end', step)]
      if (begun < 0 && !end) return undefined
      return { end: end?.is === 'hook-end' ? end : undefined }
    },
    wasInstallCut() {
      const begun = indexOf('hook-runs', 'install')
      return begun > indexOf('unpacked') && begun > indexOf('hook-end', 'install')
    },
    finished: () =>
      entries.flatMap((entry) =>
        entry.is === 'hook-end'
          ? [
              {
                name: nameOf(entry.step),
                state: entry.state,
                exitCode: entry.exitCode,
                durationMs: entry.durationMs,
              },
            ]
          : [],
      ),
    close: () => closeSync(descriptor),
  }
}

/** The journals that are there: of the deployment that this agent was given last. */
export function readJournals(deployments: string): Entry[][] {
  return readdirSync(deployments).map((name) => readEntries(join(deployments, name, file)).entries)
}

/** The process of a hook that has no end, which may still run. */
export function leftoverOf(entries: readonly Entry[]): HookProcess | undefined {
  const last = entries.findLast(({ is }) => is === 'hook-runs' || is === 'hook-end')
  return last?.is === 'hook-runs' ? last.process : undefined
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
