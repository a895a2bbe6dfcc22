import type { AnyRunDetail } from '../api/types.ts'

/** A time of a run in which it worked, or waited for something. */
export type TimelineBar = {
  name: string
  kind: 'working' | 'waiting'
  fromMs: number
  /** Until now, where it goes on. */
  toMs: number
  isOpen: boolean
}

type Run = Pick<AnyRunDetail, 'createdAt' | 'endedAt' | 'stages'>

/** Shorter gaps between two stages are no wait, but the time that a step takes. */
const shortestGapMs = 500
const noun: Readonly<Record<string, string>> = {
  approve: 'approval',
  source: 'source',
  build: 'build',
  plan: 'plan',
  apply: 'apply',
  deploy: 'deployment',
}

/** What a run did from its start to its end, without a hole. */
export function timelineBars(run: Run, nowMs: number): TimelineBar[] {
  const endMs = run.endedAt === null ? nowMs : Date.parse(run.endedAt)
  const bars: TimelineBar[] = []
  let at = Date.parse(run.createdAt)
  const wait = (name: string, toMs: number, isOpen = false) => {
    if (toMs - at >= shortestGapMs || isOpen)
      bars.push({ name, kind: 'waiting', fromMs: at, toMs, isOpen })
    at = Math.max(at, toMs)
  }
  for (const { name, state, startedAt, endedAt } of run.stages) {
    if (startedAt === null || state === 'skipped') continue
    const fromMs = Math.max(at, Date.parse(startedAt))
    wait(bars.length === 0 ? 'Waits for its turn' : `Waits for the ${noun[name] ?? name}`, fromMs)
    const isOpen = endedAt === null && run.endedAt === null
    const toMs = Math.max(fromMs, endedAt === null ? endMs : Date.parse(endedAt))
    const isWait = name === 'approve' || state === 'waiting'
    if (isWait && toMs - fromMs < shortestGapMs && !isOpen) {
      at = toMs
      continue
    }
    bars.push({
      name: isWait ? 'Waits for a person' : `${name.slice(0, 1).toUpperCase()}${name.slice(1)}`,
      kind: isWait ? 'waiting' : 'working',
      fromMs,
      toMs,
      isOpen,
    })
    at = toMs
  }
  const goesOn = run.endedAt === null && !bars.some(({ isOpen }) => isOpen)
  if (goesOn)
    wait(bars.length === 0 ? 'Waits for its turn' : 'Waits for the next step', nowMs, true)
  return bars
}

export const sumOf = (bars: readonly TimelineBar[], kind: TimelineBar['kind']): number =>
  bars.reduce((sum, bar) => (bar.kind === kind ? sum + bar.toMs - bar.fromMs : sum), 0)
