import type { PlanPart } from '../../domain/infrastructure/plan-part.ts'
import { planDigest } from '../../domain/infrastructure/plan-digest.ts'

type MadeFrom = {
  sha256: Partial<Record<PlanPart, string>>
  configurationSha256: string
  engineVersion: string
  stateLineage: string | null
  stateSerial: number | null
  variablesMac: string
  folder: string
}

/** The digest of a plan from the hashes of its parts. Without a plan file there is none. */
export function digestOf({ sha256, ...from }: MadeFrom): string {
  const { plan_file: planFileSha256, lock_file: lockFileSha256, modules: modulesSha256 } = sha256
  if (planFileSha256 === undefined) throw new Error('a plan without its file')
  return planDigest({ ...from, planFileSha256, lockFileSha256, modulesSha256 })
}
