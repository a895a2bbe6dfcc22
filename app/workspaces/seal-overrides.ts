import { canonicalJson } from '../../domain/canonical-json.ts'
import type { Keyring } from '../../gateways/keyring/keyring.ts'
import { placeOfOverrides } from '../../store/runs/run-overrides.ts'
import type { RunOverrides } from '../../store/runs/workspace-runs.ts'
import type { Overrides } from './sensitive-overrides.ts'

/** A run's own values, and a keyed hash of them that tells whether another run has the same. */
export type SealedOverrides = Pick<RunOverrides, 'overrides' | 'overridesMac'>

export const sealOverrides = (
  keyring: Keyring,
  organizationId: number,
  vars: Overrides,
): SealedOverrides => ({
  overrides: keyring.seal(placeOfOverrides(organizationId), JSON.stringify(vars)),
  overridesMac: keyring.mac('overrides', canonicalJson(vars)),
})
