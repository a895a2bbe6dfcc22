import { readFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { benchConfig } from './config.ts'
import { bareTofu } from './bare-tofu.ts'
import { drain, type Drained } from './drain.ts'
import { median, p95, table } from './figures.ts'
import { startPlatform, type Platform } from './start-platform.ts'
import { timeRun, type TimedRun } from './time-run.ts'
import { whereTimeGoes } from './where-time-goes.ts'
import { files, makeWorkspace } from './workspaces.ts'

// Fewer rounds make a quick run. Published figures use the defaults on an idle machine.
const rounds = benchConfig.rounds(30)
const warmUpRounds = benchConfig.warmUpRounds(5)
const { wantsDrain } = benchConfig
/**
 * Waits for the work after a run's end (closing its workflow and its workbench), so that it does
 * not slow the next run.
 */
const restMs = 250
/** The limits: the overhead over bare OpenTofu, and the time of a POST. */
const mayCostMs = { noop: 300, change: 700 }
const postWithinMs = 50

const say = (line: string): void => console.log(line)

type Side = { bare: number[]; runs: TimedRun[] }

/**
 * Measures runs beside bare OpenTofu, then many runs at once. False if a run was lost or applied
 * twice.
 */
export async function runSuite(): Promise<boolean> {
  const platform = await startPlatform(say)
  const bare = { noop: bareTofu(platform.tofu, files), change: bareTofu(platform.tofu, files) }
  try {
    say(`${cpus().length} processors, load at the start: ${load()}`)
    const noop: Side = { bare: [], runs: [] }
    const change: Side = { bare: [], runs: [] }
    const quiet = await makeWorkspace(platform.call, 'unchanged')
    const busy = await makeWorkspace(platform.call, 'changing')
    // Alternates, so that other load on the machine affects both sides.
    for (let at = -warmUpRounds; at < rounds; at += 1) {
      const word = `round-${at}`
      const taken = {
        bareNoop: await rested(() => bare.noop.round('unchanged')),
        noop: await rested(() => timeRun(platform, quiet)),
        bareChange: await rested(() => bare.change.round(word)),
        change: await rested(() => timeRun(platform, busy, word)),
      }
      if (at < 0) continue
      noop.bare.push(taken.bareNoop)
      noop.runs.push(taken.noop)
      change.bare.push(taken.bareChange)
      change.runs.push(taken.change)
    }
    say(`load at the end: ${load()}\n`)
    say(latencies(noop, change))
    await showWhere(platform, { noop, change })
    if (!wantsDrain) return true
    const drained = await drain(platform, say)
    say(drainReport(drained))
    return drained.faults.length === 0
  } finally {
    for (const side of Object.values(bare)) side.remove()
    await platform.stop()
  }
}

async function rested<T>(work: () => Promise<T>): Promise<T> {
  await sleep(restMs)
  return work()
}

function latencies(noop: Side, change: Side): string {
  const row = (name: string, values: readonly number[]) => [
    name,
    ms(median(values)),
    ms(p95(values)),
    '',
    '',
    '',
  ]
  const beside = (name: string, side: Side, limitMs: number) => {
    const values = total(side)
    const extraMs = median(values) - median(side.bare)
    return [
      ...row(name, values).slice(0, 3),
      `× ${(median(values) / median(side.bare)).toFixed(1)}`,
      `+ ${ms(extraMs)}`,
      verdict(extraMs <= limitMs, `≤ + ${limitMs}`),
    ]
  }
  const total = ({ runs }: Side) => runs.map(({ totalMs }) => totalMs)
  const posts = [...noop.runs, ...change.runs].map(({ postMs }) => postMs)
  return table([
    [`ms, n = ${rounds}`, 'median', 'p95', 'to bare', 'difference', 'target'],
    row('bare init, plan, show, apply: nothing to change', noop.bare),
    beside('run with nothing to change, POST to succeeded', noop, mayCostMs.noop),
    row('bare init, plan, show, apply: a change', change.bare),
    beside('run that applies a change, POST to succeeded', change, mayCostMs.change),
    [
      'POST answered',
      ms(median(posts)),
      ms(p95(posts)),
      '',
      '',
      verdict(median(posts) <= postWithinMs, `≤ ${postWithinMs}`),
    ],
  ])
}

async function showWhere(platform: Platform, sides: { noop: Side; change: Side }): Promise<void> {
  for (const [name, { runs }] of Object.entries(sides)) {
    const steps = await whereTimeGoes(platform, runs)
    say(`\nWhere the time of a run goes (${name}; medians, ms)`)
    say(table([['until', 'ms'], ...steps.map(({ step, medianMs }) => [step, ms(medianMs)])]))
  }
}

function drainReport({ runs, workspaces, tookMs, postMs, cpu, faults }: Drained): string {
  const perRun = (seconds: number) => ms((seconds / runs) * 1_000)
  const all = Object.values(cpu).reduce((sum, seconds) => sum + seconds, 0)
  const parts = Object.entries(cpu).map(([name, seconds]): [string, string] => [
    cpuNames[name] ?? name,
    perRun(seconds),
  ])
  return [
    `\n${runs} runs over ${workspaces} workspaces: ${(tookMs / 1_000).toFixed(1)} s, ${((runs / tookMs) * 1_000).toFixed(1)} a second; load at the end: ${load()}`,
    `POST under this load: median ${ms(median(postMs))} ms, p95 ${ms(p95(postMs))} ms`,
    faults.length === 0
      ? 'none lost, none doubled: every run succeeded, was applied once, wrote one serial; numbers have no holes, no lock is left'
      : `NOT WELL: ${faults.join('; ')}`,
    '',
    table([['CPU per run, user + system', 'ms'], ...parts, ['all', perRun(all)]]),
  ].join('\n')
}

const cpuNames: Record<string, string> = {
  steps: 'steps in the sandbox, and all else that process 1 reaped',
}

const ms = (value: number): string => value.toFixed(value < 100 ? 1 : 0)
const verdict = (met: boolean, target: string): string => `${target}: ${met ? 'met' : 'MISSED'}`
const load = (): string => readFileSync('/proc/loadavg', 'utf8').split(' ').slice(0, 3).join(' ')
