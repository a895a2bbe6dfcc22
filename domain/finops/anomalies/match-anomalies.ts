import type { FoundAnomaly } from './group-anomalies.ts'

type Days = { firstDay: string; lastDay: string }

export type Matched<Stored extends Days> = {
  kept: Array<{ stored: Stored; found: FoundAnomaly }>
  added: FoundAnomaly[]
  /** What a restated day took back. */
  gone: Stored[]
}

/** Which of the anomalies that were found are those that are stored: each goes on as the first that shares a day. */
export function matchAnomalies<Stored extends Days>(
  stored: readonly Stored[],
  found: readonly FoundAnomaly[],
): Matched<Stored> {
  const left = new Set(stored)
  const kept: Matched<Stored>['kept'] = []
  const added: FoundAnomaly[] = []
  for (const one of found) {
    const match = left
      .values()
      .find(({ firstDay, lastDay }) => firstDay <= one.lastDay && one.firstDay <= lastDay)
    if (match) {
      left.delete(match)
      kept.push({ stored: match, found: one })
    } else added.push(one)
  }
  return { kept, added, gone: [...left] }
}
