import { withParts, type MaskedPart } from '../../domain/secrets/parts-of-secret.ts'
import { sensitiveNames } from '../../domain/workspaces/variables.ts'
import { releaseUrlVariable } from '../deployments/release-address.ts'

export type Overrides = Readonly<Record<string, string | number | boolean>>

/** Names of OpenTofu's variables whose values are secrets in a run with these overrides. */
export const secretNames = (
  variables: Parameters<typeof sensitiveNames>[0],
  overrides: Overrides,
): ReadonlySet<string> =>
  new Set([
    ...sensitiveNames(variables),
    ...(Object.hasOwn(overrides, releaseUrlVariable) ? [releaseUrlVariable] : []),
  ])

/** An override of a sensitive variable is as sensitive as what it overrides, and so is each text in it. */
export const sensitiveOverrides = (
  overrides: Overrides,
  names: ReadonlySet<string>,
): Array<MaskedPart & { key: string }> =>
  Object.entries(overrides)
    .filter(([key]) => names.has(key))
    .flatMap(([key, given]) => withParts(String(given)).map((part) => ({ key, ...part })))
