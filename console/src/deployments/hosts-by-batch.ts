import type { RunHost } from '../api/types.ts'
import { plural } from '../api/words.ts'

export type HostItem =
  | { kind: 'head'; key: string; title: string; count: number }
  | { kind: 'host'; key: string; host: RunHost }

type Filter = { q: string; state: RunHost['state'] | undefined }

/** The hosts of a deployment below a head for each batch, narrowed by name and state. */
export function hostItems(hosts: readonly RunHost[], { q, state }: Filter): HostItem[] {
  const wanted = q.trim().toLowerCase()
  const batches = new Map<string, RunHost[]>()
  for (const host of hosts) {
    if (state !== undefined && host.state !== state) continue
    if (!host.agent.name.toLowerCase().includes(wanted)) continue
    const title = titleOf(host)
    const batch = batches.get(title)
    if (batch) batch.push(host)
    else batches.set(title, [host])
  }
  return [...batches.entries()]
    .toSorted(([, [a]], [, [b]]) => placeOf(a) - placeOf(b))
    .flatMap(([title, found]): HostItem[] => [
      { kind: 'head', key: title, title, count: found.length },
      ...found.map((host): HostItem => ({ kind: 'host', key: String(host.agent.id), host })),
    ])
}

function titleOf({ batch, state }: RunHost): string {
  if (batch !== null) return `Batch ${batch}`
  return state === 'unreachable' ? 'Offline when it began' : 'Not begun'
}

/** Batches in their order, then what is to come, then what catches up later. */
function placeOf(host: RunHost | undefined): number {
  if (!host) return 0
  if (host.batch !== null) return host.batch
  return Number.MAX_SAFE_INTEGER - (host.state === 'unreachable' ? 0 : 1)
}

/** How long the hooks of a host took: “install 2 s, activate failed (exit 3)”. */
export function hookWords(hooks: RunHost['hooks'], timeText: (ms: number) => string): string {
  return hooks
    .map(({ name, state, exitCode, durationMs }) => {
      const time = durationMs === null ? '' : ` ${timeText(durationMs)}`
      if (state === 'failed')
        return `${name} failed${exitCode === null ? '' : ` (exit ${exitCode})`}`
      return state === 'running' ? `${name} runs` : `${name}${time}`
    })
    .join(', ')
}

/** The parts of a deployment as a line of words, without those of no host. */
export function countWords(counts: {
  healthy: number
  updating: number
  pending: number
  failed: number
  rolledBack: number
  unreachable: number
  total: number
}): string {
  const parts: Array<[number, string]> = [
    [counts.healthy, 'healthy'],
    [counts.updating, 'updating'],
    [counts.failed, 'failed'],
    [counts.rolledBack, 'went back'],
    [counts.unreachable, 'unreachable'],
    [counts.pending, 'not begun'],
  ]
  const words = parts
    .filter(([count]) => count > 0)
    .map(([count, what]) => `${count.toLocaleString()} ${what}`)
  return [plural(counts.total, 'host'), ...words].join(' · ')
}
