import { rankCauses } from '../../domain/finops/anomalies/rank-causes.ts'
import { generateCause } from './generate-causes.ts'
import { Random } from './random.ts'

export type CausesFound = {
  /** Of all anomalies, those whose causing run is named first, and among the first five. */
  first: number
  shown: number
  anomalies: number
  runs: number
}

const shownRuns = 5

/** How often the run that raised the cost is named. */
export function judgeCauses(seeds: readonly number[], perSeed: number): CausesFound {
  const found = { first: 0, shown: 0, anomalies: 0, runs: 0 }
  for (const seed of seeds) {
    const random = new Random(seed)
    for (let n = 0; n < perSeed; n += 1) {
      const { days, runs, causingRunId } = generateCause(random)
      const place = rankCauses(runs, days, shownRuns).findIndex(
        ({ runId }) => runId === causingRunId,
      )
      found.anomalies += 1
      found.runs += runs.length
      if (place === 0) found.first += 1
      if (place >= 0) found.shown += 1
    }
  }
  const { anomalies } = found
  return { ...found, first: found.first / anomalies, shown: found.shown / anomalies }
}
