import { createHash } from 'node:crypto'

export type DigestedVariable = {
  key: string
  kind: 'terraform' | 'env'
  phase: 'plan' | 'apply' | 'both'
  /** Keyed, so that nobody can try values against the digest. */
  valueMac: Buffer
}

export type PlanValues = {
  variables: readonly DigestedVariable[]
  /** Of the run's own values; null for a run that has none. */
  overridesMac: Buffer | null
  /** The workspace's path, in which OpenTofu works. */
  folder: string
}

/**
 * What a plan gets beside its files, as an approval before the plan is bound to it. A variable of the phase `apply` is
 * not given to a plan.
 */
export function variablesDigest({ variables, overridesMac, folder }: PlanValues): string {
  const given = variables
    .filter(({ phase }) => phase !== 'apply')
    .map(({ kind, key, valueMac }) => JSON.stringify([kind, key, valueMac.toString('hex')]))
    .toSorted()
  const parts = [given, overridesMac?.toString('hex') ?? null, folder]
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex')
}
