import { processesBelow } from '../hostile/random-kills.ts'
import type { Platform } from '../start-platform.ts'
import type { startHosts } from './hosts.ts'

type Hosts = Awaited<ReturnType<typeof startHosts>>

const kinds = ['api', 'worker', 'below the worker', 'postgres', 'agent', 'hook'] as const

/** Kills one process of a kind that is chosen at random. A kind that has none at this moment leaves the turn to the next. */
export async function killOne(platform: Platform, hosts: Hosts): Promise<string> {
  const begin = Math.floor(Math.random() * kinds.length)
  for (let turn = 0; turn < kinds.length; turn += 1) {
    const kind = kinds[(begin + turn) % kinds.length] ?? 'api'
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
