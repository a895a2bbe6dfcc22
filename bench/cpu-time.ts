import { readdirSync, readFileSync } from 'node:fs'

/** CPU seconds so far, user and system, by part. `steps` are the programs in the sandbox. */
export type CpuTime = Record<string, number>

/** Linux reports CPU time in hundredths of a second, whatever its own tick is. */
const ticksPerSecond = 100

/**
 * Adds up each part's process and its descendants, including ended ones. bubblewrap's outer process
 * exits before the inner one is reaped, so process 1 of the machine reaps the step and gets its CPU
 * time. This time counts for the steps, which is correct while the machine runs nothing else.
 */
export function cpuTime(parts: Readonly<Record<string, number>>): CpuTime {
  const rows = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap(readStat)
  const children = new Map<number, Stat[]>()
  for (const row of rows) children.set(row.parent, [...(children.get(row.parent) ?? []), row])
  const ofTree = (row: Stat): number =>
    (children.get(row.pid) ?? []).reduce((sum, child) => sum + ofTree(child), row.own + row.reaped)

  const times: CpuTime = {}
  for (const [name, pid] of Object.entries(parts)) {
    const root = rows.find((row) => row.pid === pid)
    if (!root) throw new Error(`${name} (process ${pid}) is gone`)
    times[name] = ofTree(root) / ticksPerSecond
  }
  times['steps'] = (rows.find(({ pid }) => pid === 1)?.reaped ?? 0) / ticksPerSecond
  return times
}

export function cpuSince(before: CpuTime, after: CpuTime): CpuTime {
  return Object.fromEntries(
    Object.entries(after).map(([name, seconds]) => [name, seconds - (before[name] ?? 0)]),
  )
}

type Stat = { pid: number; parent: number; own: number; reaped: number }

function readStat(pid: string): Stat[] {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The name in parentheses may contain any character, so the fields start after the last
    // parenthesis.
    const fields = text
      .slice(text.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number)
    const [user = 0, system = 0, childUser = 0, childSystem = 0] = fields.slice(11, 15)
    const parent = fields[1] ?? 0
    return [{ pid: Number(pid), parent, own: user + system, reaped: childUser + childSystem }]
  } catch {
    // The process has ended since it was listed.
    return []
  }
}
