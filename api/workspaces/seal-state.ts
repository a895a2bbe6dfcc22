import { createHash } from 'node:crypto'
import { invalid } from '../../domain/errors.ts'
import { parseState, type StateDocument } from '../../domain/workspaces/state-document.ts'
import type { Keyring } from '../../gateways/keyring/keyring.ts'

export type SealedState = {
  document: StateDocument
  /** What a row of `state_versions` has of a state. */
  columns: { lineage: string; serial: number; bodySha256: string; body: Buffer }
}

/** Reads a state as it came over the wire and seals it. No transaction is held meanwhile: it may be 64 MiB. */
export function sealState(keyring: Keyring, organizationId: number, body: Buffer): SealedState {
  const document = parseState(decode(body))
  const { lineage, serial } = document
  return {
    document,
    columns: {
      lineage,
      serial,
      bodySha256: createHash('sha256').update(body).digest('hex'),
      body: keyring.seal({ organizationId, table: 'state_versions', column: 'body' }, body),
    },
  }
}

function decode(body: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body)
  } catch {
    throw invalid('The state is not UTF-8.', undefined, 'invalid_state')
  }
}
