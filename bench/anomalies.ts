import { judgeCauses } from './anomalies/judge-causes.ts'
import { forecastErrors } from './anomalies/forecast-errors.ts'
import { baselines } from './anomalies/baselines.ts'
import { ownDetector, taxiAlarms } from './anomalies/detectors.ts'
import { eventKinds } from './anomalies/generate-events.ts'
import { generateSeries, seriesKinds, type LabelledSeries } from './anomalies/generate-series.ts'
import { generateOrganizations } from './anomalies/generate-organizations.ts'
import { judgeDetector, type Verdict } from './anomalies/judge-detector.ts'
import { falseAlarmsPer100, judgeScopes, type ScopesJudged } from './anomalies/judge-scopes.ts'
import { table } from './figures.ts'

/** The rules were tuned on these; the bars hold for the others, which no constant was chosen by. */
const tuningSeeds = [1, 2, 3]
const heldOutSeeds = [7919, 104729, 1299709]
const seriesOfSeed = 300
const causesOfSeed = 500
const organizationsOfSeed = 25

const bars = {
  f1: 0.8,
  precision: 0.8,
  recall: 0.75,
  falseAlarmsPer100: 3,
  delayDays: 1,
  kindF1: 0.6,
  microsecondsPerPoint: 140,
  mape: 0.1,
  causeFirst: 0.9,
}

/**
 * The detector of anomalies and the forecast on made series with labels, beside the rules that others use,
 * each at its best setting on the same series. Needs no engine.
 */
export async function anomaliesSuite(): Promise<boolean> {
  const make = (seeds: number[]) => seeds.flatMap((seed) => generateSeries(seed, seriesOfSeed))
  console.log('Series that the rules were tuned on:')
  showVerdict(judgeDetector(ownDetector, make(tuningSeeds)))

  const heldOut = make(heldOutSeeds)
  const start = process.cpuUsage()
  const verdict = judgeDetector(ownDetector, heldOut)
  const { user, system } = process.cpuUsage(start)
  const points = heldOut.reduce((sum, { amounts }) => sum + amounts.length - 1, 0)
  const microseconds = (user + system) / points
  console.log('\nHeld-out series:')
  showVerdict(verdict)

  const best = showBaselines(verdict, heldOut)
  const forecast = forecastErrors(heldOut)
  console.log(
    `\n${microseconds.toFixed(0)} µs of CPU a point. Forecast from day 10: MAPE ${percent(forecast.mape)}, ` +
      `${percent(forecast.inside)} of ${forecast.count} months in the 90 % interval.`,
  )
  console.log(taxiAlarms())
  const tuned = judgeCauses(tuningSeeds, causesOfSeed)
  const causes = judgeCauses(heldOutSeeds, causesOfSeed)
  console.log(
    `Causing run first in ${percent(causes.first)} of ${causes.anomalies} anomalies with ${causes.runs} runs, ` +
      `among the first five in ${percent(causes.shown)}; ${percent(tuned.first)} where the ranking was tuned.`,
  )
  const scopes = showScopes()
  const { mape } = forecast
  return holds({ verdict, best, microseconds, mape, causeFirst: causes.first, scopes })
}

/** Totals and tags of made organizations, with the rule that leaves out what services explain and without it. */
function showScopes(): ScopesJudged {
  const organizations = heldOutSeeds.flatMap((seed) =>
    generateOrganizations(seed, organizationsOfSeed),
  )
  const { unexplained, all } = judgeScopes(organizations)
  const rows = (['total', 'tag'] as const).flatMap((kind) =>
    [
      { name: `${kind}, what services leave unexplained`, ...unexplained[kind] },
      { name: `${kind}, all`, ...all[kind] },
    ].map((row) => [
      row.name,
      String(row.series),
      String(row.alarms),
      String(row.falseAlarms),
      falseAlarmsPer100(row).toFixed(1),
      `${row.found} of ${row.rises}`,
      `${row.seen} of ${row.rises}`,
    ]),
  )
  const heads = ['held-out organizations', 'series', 'alarms', 'false', 'false / 100 / month']
  console.log(`\n${table([[...heads, 'spread rises told', 'or a service'], ...rows])}`)
  return unexplained
}

function showVerdict(verdict: Verdict): void {
  const { precision, recall, f1, delayDays, falseAlarmsPer100, bySeries, byEvent } = verdict
  console.log(
    `precision ${precision.toFixed(3)}, recall ${recall.toFixed(3)}, F1 ${f1.toFixed(3)}, delay ` +
      `${delayDays.toFixed(2)} days, ${falseAlarmsPer100.toFixed(1)} false alarms per 100 series a month`,
  )
  const rows = seriesKinds.map((kind) => {
    const scores = bySeries[kind]
    const figures = [scores.precision, scores.recall, scores.f1].map((value) => value.toFixed(2))
    return [kind, String(scores.events), ...figures]
  })
  console.log(table([['series', 'events', 'precision', 'recall', 'F1'], ...rows]))
  const events = eventKinds.map((kind) => {
    const { events, recall, delayDays } = byEvent[kind]
    return [kind, String(events), recall.toFixed(2), delayDays.toFixed(2)]
  })
  console.log(table([['event', 'count', 'recall', 'delay in days'], ...events]))
}

/** The greatest F1 of any rule at any setting. */
function showBaselines(own: Verdict, heldOut: readonly LabelledSeries[]): number {
  const rows = Object.values(baselines).map((settings) => {
    const judged = settings.map(({ name, detector }) => ({
      name,
      ...judgeDetector(detector, heldOut),
    }))
    return judged.reduce((best, one) => (one.f1 > best.f1 ? one : best))
  })
  const figures = [{ name: 'this detector', ...own }, ...rows].map((row) => [
    row.name,
    row.precision.toFixed(3),
    row.recall.toFixed(3),
    row.f1.toFixed(3),
    row.delayDays.toFixed(2),
    row.falseAlarmsPer100.toFixed(1),
  ])
  const heads = [
    'held-out, at its best F1',
    'precision',
    'recall',
    'F1',
    'delay',
    'false / 100 / month',
  ]
  console.log(`\n${table([heads, ...figures])}`)
  return Math.max(...rows.map(({ f1 }) => f1))
}

type Measured = {
  verdict: Verdict
  best: number
  microseconds: number
  mape: number
  causeFirst: number
  scopes: ScopesJudged
}

function holds({ verdict, best, microseconds, mape, causeFirst, scopes }: Measured): boolean {
  const kinds = Object.entries(verdict.bySeries).map(([kind, { f1 }]): [string, boolean] => [
    `F1 of ${kind} ≥ ${bars.kindF1}`,
    f1 >= bars.kindF1,
  ])
  const checks: [string, boolean][] = [
    [`F1 ≥ ${bars.f1}`, verdict.f1 >= bars.f1],
    [`precision ≥ ${bars.precision}`, verdict.precision >= bars.precision],
    [`recall ≥ ${bars.recall}`, verdict.recall >= bars.recall],
    [
      `false alarms ≤ ${bars.falseAlarmsPer100}`,
      verdict.falseAlarmsPer100 <= bars.falseAlarmsPer100,
    ],
    [`delay ≤ ${bars.delayDays} day`, verdict.delayDays <= bars.delayDays],
    ...kinds,
    ['ahead of every baseline at its best', verdict.f1 > best],
    [`≤ ${bars.microsecondsPerPoint} µs a point`, microseconds <= bars.microsecondsPerPoint],
    [`MAPE ≤ ${percent(bars.mape)}`, mape <= bars.mape],
    ...(['total', 'tag'] as const).map((kind): [string, boolean] => [
      `false alarms of a ${kind} ≤ ${bars.falseAlarmsPer100}`,
      falseAlarmsPer100(scopes[kind]) <= bars.falseAlarmsPer100,
    ]),
    [`causing run first ≥ ${percent(bars.causeFirst)}`, causeFirst >= bars.causeFirst],
  ]
  const failed = checks.filter(([, isHeld]) => !isHeld).map(([name]) => name)
  console.log(failed.length > 0 ? `FAILED: ${failed.join('; ')}` : 'All bars are held.')
  return failed.length === 0
}

const percent = (share: number): string => `${(100 * share).toFixed(1)} %`
