import { conflict } from '../errors.ts'

export type StateMark = { lineage: string; serial: number; bodySha256: string }

/**
 * Whether a state may follow the current one: same lineage, higher serial. `stored` where
 * it is the current one, byte by byte: a client whose answer was lost sends it again.
 */
export function judgeStateWrite(current: StateMark | undefined, next: StateMark): 'new' | 'stored' {
  if (!current) return 'new'
  if (current.lineage !== next.lineage)
    throw conflict(
      'lineage_mismatch',
      'This state has another lineage than the current one: it belongs to another workspace, or was made anew. Nothing was stored.',
    )
  if (next.serial > current.serial) return 'new'
  if (next.serial === current.serial && next.bodySha256 === current.bodySha256) return 'stored'
  throw conflict(
    'serial_conflict',
    `The current state has serial ${current.serial} and this one ${next.serial}: somebody wrote in between. Pull the current state first. Nothing was stored.`,
  )
}
