import type { Tenant } from '../../store/driver/tenant.ts'
import { partsOfSecret } from '../../domain/secrets/parts-of-secret.ts'
import { whyUnmaskable } from '../../domain/secrets/secret-forms.ts'
import { createSecretSearch, type SecretSearch } from '../../domain/secrets/secret-search.ts'
import { overridesUntil } from '../../store/runs/overrides-until.ts'
import { placeOfOverrides } from '../../store/runs/run-overrides.ts'
import { retiredValues } from '../../store/workspaces/retired-values.ts'
import {
  workspaceVariables,
  type WorkspaceVariable,
} from '../../store/workspaces/workspace-variables.ts'
import type { Keyring } from '../../gateways/keyring/keyring.ts'
import { secretNames, sensitiveOverrides, type Overrides } from './sensitive-overrides.ts'

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

/** The workspace's sensitive values, those from before, and those of its last runs, opened only to search for them. */
export async function secretsOfWorkspace(
  { keyring }: { keyring: Keyring },
  tenant: Tenant,
  of: Place,
): Promise<string[]> {
  const stored = await workspaceVariables(tenant).readSensitive(
    of.workspaceId,
    openerOf(keyring, of),
  )
  return [...stored, ...(await secretsOfRuns({ keyring }, tenant, of))]
}

/**
 * Masks them in what was stored before they were sensitive, or in a form that OpenTofu's marks did not follow; of a
 * variable that is an object or a list, also each text in it.
 */
export async function searchForSecrets(
  { keyring }: { keyring: Keyring },
  tenant: Tenant,
  of: Place,
): Promise<SecretSearch> {
  const open = openerOf(keyring, of)
  const stored = await workspaceVariables(tenant).readSensitive(of.workspaceId, (sealed, one) => {
    const value = open(sealed, one)
    return one.isOfOpenTofu ? [value, ...partsOfSecret(value)] : [value]
  })
  return createSecretSearch([...stored.flat(), ...(await secretsOfRuns({ keyring }, tenant, of))])
}

const openerOf =
  (keyring: Keyring, { organizationId }: Pick<Place, 'organizationId'>) =>
  (sealed: Buffer, { isRetired }: { isRetired: boolean }): string =>
    keyring
      .open(isRetired ? placeOfRetired(organizationId) : placeOfValue(organizationId), sealed)
      .toString()

/** What runs had in place of the workspace's sensitive values. */
async function secretsOfRuns(
  { keyring }: { keyring: Keyring },
  tenant: Tenant,
  { organizationId, workspaceId, runId = null }: Place,
): Promise<string[]> {
  const runs = await overridesUntil(tenant, { workspaceId, runId })
  if (runs.length === 0) return []
  const variables = await workspaceVariables(tenant).sensitive(workspaceId)
  const place = placeOfOverrides(organizationId)
  return runs.flatMap(({ sealed, startedAt, isCopied }) => {
    // Written by a start, in this shape.
    const overrides = JSON.parse(keyring.open(place, sealed).toString()) as Overrides
    const names = secretNames(
      variables.filter(({ until }) => until === null || isCopied || startedAt <= until),
      overrides,
    )
    return sensitiveOverrides(overrides, names).map(({ value }) => value)
  })
}
