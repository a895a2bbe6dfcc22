import { conflict } from '../errors.ts'

/** OpenTofu reads a serial as 64 bits and raises it by one; a JSON number is exact up to 2^53. */
export const maxSerial = 2 ** 52
/** An apply raises the serial by a handful. A jump would leave no room for later ones. */
const maxSerialStep = 1_000

/** Whether an apply finds a serial above this one. Without it would change things and could not store their state. */
export const hasRoomAbove = (serial: number): boolean => serial <= maxSerial - maxSerialStep

export type StateMark = { lineage: string; serial: number; bodySha256: string }

/**
 * Whether a state may follow the current one: same lineage, higher serial. `stored` if it is the current
 * one byte by byte: a client sends it again if the answer was lost.
 */
export function judgeStateWrite(current: StateMark | undefined, next: StateMark): 'new' | 'stored' {
  if (next.serial > maxSerial)
    throw conflict(
      'serial_too_high',
      `This state has serial ${next.serial}. A serial is at most ${maxSerial}: set a lower one, or restore a version with a new lineage. It was not made current.`,
    )
  if (!current) return 'new'
  if (current.lineage !== next.lineage)
    throw conflict(
      'lineage_mismatch',
      'This state has another lineage than the current one: it belongs to another workspace, or was made anew. Nothing was stored.',
    )
  if (next.serial > current.serial + maxSerialStep)
    throw conflict(
      'serial_jump',
      `The current state has serial ${current.serial} and this one ${next.serial}. A serial may be at most ${maxSerialStep} above the current one: set ${current.serial + 1}. It was not made current.`,
    )
  if (next.serial > current.serial) return 'new'
  if (next.serial === current.serial && next.bodySha256 === current.bodySha256) return 'stored'
  throw conflict(
    'serial_conflict',
    `The current state has serial ${current.serial} and this one ${next.serial}: somebody wrote in between. Pull the current state first. Nothing was stored.`,
  )
}
