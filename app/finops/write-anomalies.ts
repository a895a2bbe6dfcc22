import { scopeOf } from '../../domain/finops/anomalies/anomaly-scope.ts'
import { anomalySeverity } from '../../domain/finops/anomalies/anomaly-severity.ts'
import {
  stateAfterScoring,
  type AnomalyState,
} from '../../domain/finops/anomalies/anomaly-state.ts'
import type { FoundAnomaly } from '../../domain/finops/anomalies/group-anomalies.ts'
import { matchAnomalies } from '../../domain/finops/anomalies/match-anomalies.ts'
import { auditLog, systemActor } from '../../store/audit/audit-log.ts'
import type { Tenant } from '../../store/driver/tenant.ts'
import type { AnomalyFigures, StoredAnomaly } from '../../store/finops/anomalies.ts'
import { foundAnomalies } from '../../store/finops/found-anomalies.ts'
import { anomalyDays } from '../../store/finops/anomaly-days.ts'
import { anomalySeries } from '../../store/finops/anomaly-series.ts'
import type { Scored } from './score-one-series.ts'

export type Written = {
  /** How many were opened or are other ones now. */
  changed: number
  takenBack: number
  toExplain: Array<{
    id: number
    firstDay: string
    lastDay: string
    isTold: boolean
    impact: number
  }>
}

/** Stores the scored days of a page of series, and the anomalies in them. */
export async function writeAnomalies(
  tenant: Tenant,
  scored: readonly Scored[],
  through: string,
): Promise<Written> {
  const written: Written = { changed: 0, takenBack: 0, toExplain: [] }
  // Of two scorings at once the second finds what the first wrote.
  await anomalySeries(tenant).hold(scored.map(({ series }) => series.id))
  for (const one of scored) {
    await anomalyDays(tenant).replace(one.series.id, one.from, one.days)
    await writeSeries(tenant, one, { through, written })
  }
  return written
}

async function writeSeries(
  tenant: Tenant,
  { series, since, found, minimum }: Scored,
  { through, written }: { through: string; written: Written },
): Promise<void> {
  const repository = foundAnomalies(tenant)
  const stored = await repository.holdSince([series.id], since)
  const { kept, added, gone } = matchAnomalies(stored, found)
  for (const one of gone) {
    // "Not an anomaly" makes the series less sensitive: without its row, that would be forgotten.
    if (one.state === 'not_anomaly') continue
    await takeBack(tenant, one, series)
    written.takenBack += 1
  }
  const note = (id: number, figures: AnomalyFigures) => {
    written.changed += 1
    const isTold = figures.state === 'open' || figures.state === 'acknowledged'
    written.toExplain.push({
      id,
      firstDay: figures.firstDay,
      lastDay: figures.lastDay,
      isTold,
      impact: Number(figures.impact),
    })
  }
  for (const { stored: before, found: now } of kept) {
    const figures = figuresOf(now, { state: before.state, through, minimum })
    if (isSame(before, figures)) continue
    await repository.change(before.id, figures)
    note(before.id, figures)
  }
  for (const now of added) {
    const figures = figuresOf(now, { state: null, through, minimum })
    note(await repository.add(series.id, figures), figures)
  }
}

/**
 * A restated day took it back, or services explain all of it by now: it is gone from every list, and stands in the
 * audit log.
 */
async function takeBack(
  tenant: Tenant,
  { id, firstDay, lastDay, impact, state }: StoredAnomaly,
  series: Scored['series'],
): Promise<void> {
  const { provider, service, subAccountId, currency } = series
  const scope = scopeOf(series)
  await foundAnomalies(tenant).delete(id)
  await auditLog(tenant, systemActor).record('finops.anomaly_taken_back', {
    target: { kind: 'anomaly', id },
    detail: {
      provider,
      service,
      subAccountId,
      ...(scope && { scope }),
      firstDay,
      lastDay,
      impact,
      currency,
      state,
    },
  })
}

function figuresOf(
  found: FoundAnomaly,
  given: { state: AnomalyState | null; through: string; minimum: number },
): AnomalyFigures {
  const { kind, firstDay, lastDay, day, actual, expected, low, high, impact } = found
  return {
    kind,
    severity: anomalySeverity(found, given.minimum),
    state: stateAfterScoring(given.state, { lastDay, through: given.through }),
    firstDay,
    lastDay,
    day,
    actual: text(actual),
    expected: text(expected),
    low: text(low),
    high: text(high),
    impact: text(impact),
  }
}

/** As the table's decimals. A band far above the greatest amount of a bill is cut, for it would not fit. */
const text = (amount: number): string => Math.min(amount, most).toFixed(6)
const most = 9e17

const isSame = (before: StoredAnomaly, now: AnomalyFigures): boolean =>
  before.firstDay === now.firstDay &&
  before.lastDay === now.lastDay &&
  before.state === now.state &&
  before.severity === now.severity &&
  Number(before.impact) === Number(now.impact) &&
  Number(before.actual) === Number(now.actual)
