import type { Tenant } from '../../store/driver/tenant.ts'
import { textsIn } from '../../domain/secrets/parts-of-secret.ts'
import { whyUnmaskable } from '../../domain/secrets/secret-forms.ts'
import { createSecretSearch, type SecretSearch } from '../../domain/secrets/secret-search.ts'
import type { SplitOptions } from '../../domain/workspaces/split-state.ts'
import { overridesUntil } from '../../store/runs/overrides-until.ts'
import { placeOfOverrides } from '../../store/runs/run-overrides.ts'
import { retiredValues } from '../../store/workspaces/retired-values.ts'
import {
  workspaceVariables,
  type WorkspaceVariable,
} from '../../store/workspaces/workspace-variables.ts'
import type { Keyring } from '../../gateways/keyring/keyring.ts'
import { secretNames, type Overrides } from './sensitive-overrides.ts'

export const placeOfValue = (organizationId: number) => ({
  organizationId,
  table: 'workspace_variables',
  column: 'value',
})

/** Where a value is sealed once its variable has another, or none. */
export const placeOfRetired = (organizationId: number) => ({
  organizationId,
  table: 'retired_values',
  column: 'value',
})

/**
 * Keeps the value of a sensitive variable that is changed or deleted: what was applied before still has it. Not kept
 * is a value that cannot be masked, and one whose key the keyring lacks: otherwise such a variable could neither be
 * deleted nor get another value.
 */
export async function retireValue(
  { keyring }: { keyring: Keyring },
  tenant: Tenant,
  { workspaceId, key, kind, value, valueMac }: WorkspaceVariable,
): Promise<void> {
  if (!keyring.knows(value)) return
  const { organizationId } = tenant
  const plain = keyring.open(placeOfValue(organizationId), value).toString()
  if (plain.trim() === '' || whyUnmaskable(plain) !== undefined) return
  const sealed = keyring.seal(placeOfRetired(organizationId), plain)
  await retiredValues(tenant).add(workspaceId, { key, kind, value: sealed, valueMac })
}

type Place = {
  organizationId: number
  workspaceId: number
  /** The run whose plan is read, or that wrote the state that is read; by default the newest one. */
  runId?: number | null
}

/**
 * The workspace's sensitive values, those from before, and those of its last runs with the texts in them, opened only
 * to search a state for them. `secretsIncomplete`: there are more.
 */
export async function secretsOfWorkspace(
  deps: { keyring: Keyring },
  tenant: Tenant,
  of: Place,
): Promise<Required<Pick<SplitOptions, 'secrets' | 'secretsIncomplete'>>> {
  const stored = await storedSecrets(deps, tenant, of)
  const { values, isIncomplete } = await secretsOfRuns(deps, tenant, of)
  const texts = new Set<string>()
  for (const value of values)
    for (const text of textsIn(value))
      // Each is sent to the process that splits the state.
      if (texts.add(text).size > maxTextsOfRuns) return { secrets: [], secretsIncomplete: true }
  return {
    secrets: [...stored.map(({ value }) => value), ...values, ...texts],
    secretsIncomplete: isIncomplete,
  }
}

const maxTextsOfRuns = 2_000

/**
 * Masks them in what was stored before they were sensitive, or in a form that OpenTofu's marks did not follow; of a
 * variable that is an object or a list, also each text in it.
 */
export async function searchForSecrets(
  deps: { keyring: Keyring },
  tenant: Tenant,
  of: Place,
): Promise<SecretSearch> {
  const stored = await storedSecrets(deps, tenant, of)
  const ofRuns = await secretsOfRuns(deps, tenant, of)
  const lists = stored.filter(({ isOfOpenTofu }) => isOfOpenTofu)
  return createSecretSearch([...stored.map(({ value }) => value), ...ofRuns.values], {
    lists: [...lists.map(({ value }) => value), ...ofRuns.values],
    isIncomplete: ofRuns.isIncomplete,
  })
}

/** Of the workspace itself, also those from before. */
const storedSecrets = async (
  { keyring }: { keyring: Keyring },
  tenant: Tenant,
  { organizationId, workspaceId }: Place,
) =>
  workspaceVariables(tenant).readSensitive(workspaceId, (sealed, { isOfOpenTofu, isRetired }) => ({
    isOfOpenTofu,
    value: keyring
      .open(isRetired ? placeOfRetired(organizationId) : placeOfValue(organizationId), sealed)
      .toString(),
  }))

/** What runs had in place of the workspace's sensitive values. `isIncomplete`: they had more than can be opened. */
async function secretsOfRuns(
  { keyring }: { keyring: Keyring },
  tenant: Tenant,
  { organizationId, workspaceId, runId = null }: Place,
): Promise<{ values: string[]; isIncomplete: boolean }> {
  const runs = await overridesUntil(tenant, { workspaceId, runId })
  if (runs.length === 0) return { values: [], isIncomplete: false }
  const variables = await workspaceVariables(tenant).sensitive(workspaceId)
  const place = placeOfOverrides(organizationId)
  const values = runs.flatMap(({ sealed, startedAt, isCopied }) => {
    if (!sealed) return []
    // Written by a start, in this shape.
    const overrides = JSON.parse(keyring.open(place, sealed).toString()) as Overrides
    const names = secretNames(
      variables.filter(({ until }) => until === null || isCopied || startedAt <= until),
      overrides,
    )
    return sensitiveValues(overrides, names)
  })
  // Where no variable that a run overrides is sensitive, only the address of a release is, and never so large.
  const mayHaveSecrets = secretNames(variables, {}).size > 0
  return { values, isIncomplete: mayHaveSecrets && runs.some(({ sealed }) => sealed === null) }
}

const sensitiveValues = (overrides: Overrides, names: ReadonlySet<string>): string[] =>
  Object.entries(overrides).flatMap(([key, given]) => (names.has(key) ? [String(given)] : []))
