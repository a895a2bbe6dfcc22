import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

/** Enough to tell after a crash whether a process is still that hook. */
export type HookProcess = { pid: number; startTicks: string; boot: string }

const graceMs = 5_000
const lookMs = 50

/** Ends all of a hook's process group: in order, and after a grace by force, since a process may ignore SIGTERM. */
export async function endGroup(pid: number, { withinMs = graceMs } = {}): Promise<void> {
  if (!signalGroup(pid, 'SIGTERM')) return
  for (const until = performance.now() + withinMs; performance.now() < until;) {
    await sleep(lookMs)
    if (!signalGroup(pid, 0)) return
  }
  signalGroup(pid, 'SIGKILL')
}

/** False if the group has no process any more. */
export function signalGroup(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-pid, signal)
  } catch {
    return false
  }
}

/** What tells a process from a later one with its number. Undefined if it has ended, or without /proc. */
export function identify(pid: number): HookProcess | undefined {
  try {
    // The name is in brackets and may have anything; the start is field 22.
    const fields = readFileSync(`/proc/${pid}/stat`, 'latin1')
      .replace(/^.*\) /s, '')
      .split(' ')
    return { pid, startTicks: fields[19] ?? '', boot: bootOf() }
  } catch {
    return undefined
  }
}

/**
 * Ends what a hook left behind that ran when the agent was killed. A number that is another process's by now is left
 * alone: as long as a process of the group lives, the kernel gives its number to nobody else.
 */
export async function endLeftover(left: HookProcess): Promise<boolean> {
  if (left.boot !== bootOf()) return false
  const now = identify(left.pid)
  if (now && now.startTicks !== left.startTicks) return false
  if (!signalGroup(left.pid, 0)) return false
  await endGroup(left.pid)
  return true
}

/** The id of this boot of the host; empty without /proc. */
export function bootOf(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
  } catch {
    return ''
  }
}
