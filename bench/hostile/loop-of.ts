import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { quantile } from '../figures.ts'

/** The delay of an event loop, and the longest CPU time that its thread used without yielding. */
export type LoopDelay = { p99Ms: number; maxMs: number; maxCpuMs: number }

export type LoopWatch = {
  /** By part, since the watch began. Undefined if the part wrote no data. */
  delays(): Record<string, LoopDelay | undefined>
}

/**
 * The environment with which the API and the worker write their event loop delays into this folder
 * (look-at-loop.ts).
 */
export const lookAtLoops = (folder: string, nodeOptions: string | undefined) => ({
  BENCH_LOOPS: folder,
  NODE_OPTIONS: [
    nodeOptions,
    `--import=${pathToFileURL(join(import.meta.dirname, 'look-at-loop.ts')).href}`,
  ]
    .filter(Boolean)
    .join(' '),
})

export function watchLoops(folder: string, pids: Readonly<Record<string, number>>): LoopWatch {
  const begun = Object.entries(pids).map(
    ([name, pid]) => [name, pid, read(folder, pid).length] as const,
  )
  return {
    delays: () =>
      Object.fromEntries(
        begun.map(([name, pid, from]) => [name, delayOf(read(folder, pid).slice(from))]),
      ),
  }
}

function read(folder: string, pid: number): string {
  try {
    return readFileSync(join(folder, String(pid)), 'latin1')
  } catch {
    return ''
  }
}

function delayOf(text: string): LoopDelay | undefined {
  const looks = text
    .split(/\s+/)
    .filter(Boolean)
    .map((look) => look.split(',').map(Number))
  if (looks.length === 0) return undefined
  const late = looks.map(([ms = Number.NaN]) => ms)
  return {
    p99Ms: quantile(late, 0.99),
    maxMs: quantile(late, 1),
    maxCpuMs: quantile(
      looks.map(([, ms = Number.NaN]) => ms),
      1,
    ),
  }
}
