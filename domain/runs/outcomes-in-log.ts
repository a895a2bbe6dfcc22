/**
 * What an apply did to each resource, from the lines of its log. A provisioner cannot forge one for a resource:
 * OpenTofu puts `<address>: (local-exec): ` before each line that it prints, and that begins no address.
 */
export function outcomesIn(lines: readonly string[]): Map<string, Outcome> {
  const outcomes = new Map<string, Outcome>()
  for (const line of lines) {
    const groups = form.exec(line)?.groups
    if (!groups) continue
    const address = groups['address'] ?? ''
    const result = groups['end'] === 'complete' ? 'done' : 'failed'
    const before = outcomes.get(address)
    const seconds = secondsOf(groups['elapsed'] ?? '')
    const action = actions[groups['verb'] ?? ''] ?? 'create'
    // A replacement is a destruction and a creation, in either order.
    outcomes.set(address, {
      action: before && before.action !== action ? 'replace' : action,
      result: before?.result === 'failed' ? 'failed' : result,
      seconds: (before?.seconds ?? 0) + seconds,
    })
  }
  return outcomes
}

const actions: Record<string, Outcome['action']> = {
  Creation: 'create',
  Modifications: 'update',
  Destruction: 'destroy',
}

export type Outcome = {
  action: 'create' | 'update' | 'destroy' | 'replace'
  result: 'done' | 'failed'
  /** What OpenTofu measured, in whole seconds. */
  seconds: number
}

const form =
  /^(?<address>.+): (?<verb>Creation|Modifications|Destruction) (?<end>complete|errored) after (?<elapsed>(?:\d+[hms])+)(?: \[.*\])?$/

function secondsOf(elapsed: string): number {
  const part = (unit: string) => Number(new RegExp(`(\\d+)${unit}`).exec(elapsed)?.[1] ?? 0)
  return part('h') * 3_600 + part('m') * 60 + part('s')
}
