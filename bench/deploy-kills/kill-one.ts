import { setTimeout as sleep } from 'node:timers/promises'
import { processesBelow } from '../hostile/random-kills.ts'
import type { Platform } from '../start-platform.ts'
import type { startHosts } from './hosts.ts'

type Hosts = Awaited<ReturnType<typeof startHosts>>

const kinds = [
  'api',
  'worker',
  'below the worker',
  'postgres',
  'temporal',
  'agent',
  'hook',
] as const

/** A hook, a runner and a step live shortly. How long to wait for one to be there. */
const waitMs = 5_000

/** Kills one process of the kind whose turn it is; if none of that kind comes, of the next kind. */
export async function killOne(
  platform: Platform,
  { hosts, round }: { hosts: Hosts; round: number },
): Promise<string> {
  for (let turn = 0; turn < kinds.length; turn += 1) {
    const kind = kinds[(round + turn) % kinds.length] ?? 'api'
    for (const until = Date.now() + waitMs; Date.now() < until; await sleep(5))
      if (await killKind(kind, platform, hosts)) return kind
  }
  throw new Error('there is no process to kill')
}

async function killKind(
  kind: (typeof kinds)[number],
  platform: Platform,
  hosts: Hosts,
): Promise<boolean> {
  if (kind === 'agent') {
    await oneOf(hosts.list)?.kill()
    return true
  }
  const pids = platform.pids()
  if (kind === 'hook') return kill(oneOf(hosts.list.flatMap((host) => below(host.pid()))))
  if (kind === 'below the worker') return kill(oneOf(below(pids['worker'] ?? 0)))
  return kill(pids[kind])
}

const below = (pid: number): number[] => processesBelow(pid).map(([, each]) => each)

function kill(pid: number | undefined): boolean {
  // A part that is being restarted has no process.
  if (pid === undefined || pid <= 1) return false
  try {
    process.kill(pid, 'SIGKILL')
    return true
  } catch {
    // It ended since it was listed.
    return false
  }
}

const oneOf = <T>(list: readonly T[]): T | undefined =>
  list[Math.floor(Math.random() * list.length)]
