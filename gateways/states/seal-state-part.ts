import type { StatePart } from '../../domain/workspaces/split-state.ts'
import type { Keyring } from '../keyring/keyring.ts'
import { placeOf, type SealedRows } from '../keyring/sealed-rows.ts'

export type StatePlace = { organizationId: number; table: string; ownerId: number }

/** A part of a state, sealed for the one place where it belongs. */
export const sealStatePart = (
  keyring: Keyring,
  place: StatePlace,
  { firstSeq, lastSeq, bytes }: StatePart,
): SealedRows => ({ firstSeq, lastSeq, body: keyring.seal(placeOf(place, firstSeq), bytes) })
