import type { RunPhase } from './check-runs.ts'

export const setupUses = ['federation', 'role', 'keys'] as const
export type SetupUse = (typeof setupUses)[number]

export type SetupFacts = {
  /** As `checkAccountId` returns it, so that it is safe in a shell's single quotes. */
  accountId: string
  use: SetupUse
  externalId: string
  issuer: string
  subject: string
  /** Those of runs by phase, with `*` for the name of any workspace. */
  runSubjects: Record<RunPhase, string>
}

/** Texts to paste. Null: this use needs none. */
export type SetupTexts = {
  audience: string | null
  policy: string
  trustPolicy: string | null
  commands: string
  opentofu: string
}
