import { withParts, type MaskedPart } from '../../domain/secrets/parts-of-secret.ts'
import { variablesDigest } from '../../domain/runs/variables-digest.ts'
import { faultOfVariableKey, isInPhase, isOfOpenTofu } from '../../domain/workspaces/variables.ts'
import { shortestPart } from '../../domain/secrets/search-patterns.ts'
import { alwaysMaskedBytes } from '../../domain/runs/why-not-masked.ts'
import { planSources, type PlanSources } from '../../store/infrastructure/plan-sources.ts'
import { firstSealedPiece } from '../../store/workspaces/sealed-files.ts'
import {
  workspaceVariables,
  type WorkspaceVariable,
} from '../../store/workspaces/workspace-variables.ts'
import { placeOfRetired } from '../../app/workspaces/secrets-of-workspace.ts'
import { retiredValues } from '../../store/workspaces/retired-values.ts'
import {
  secretNames,
  sensitiveOverrides,
  type Overrides,
} from '../../app/workspaces/sensitive-overrides.ts'
import type { Deps } from '../deps.ts'
import type { FoundRun } from '../runs/find-run.ts'

export type LoadedRun = FoundRun & {
  configuration: { id: number; filesSha256: string }
  /** Where the sealed files begin: all of them, unless they are large. */
  firstPiece: Buffer
  /** Environment of the tofu process: TF_VAR_… and the workspace's own. */
  env: Record<string, string>
  /** Keys of variables that are refused today and are not passed. */
  ignoredVariables: string[]
  /** What must not appear in a log: each value with its variable's name. */
  secrets: Array<MaskedPart & { key: string }>
  /** Names of the variables whose values those are, as OpenTofu reads them. */
  sensitiveVariables: string[]
  /** Keyed hash over all variables, overrides, the cloud account and the name that it trusts, for the digest. */
  variablesMac: string
  /** The same without the name, as plans have it that were made before the name was part of it. */
  formerVariablesMac: string
  /** Over what a plan gets beside its files, as an approval before the plan is bound to it. */
  valuesDigest: string
  /** Names of the overrides, to warn of those that the configuration does not declare. */
  overrides: string[]
  state: PlanSources['state']
  authorshipThrough: number
}

/**
 * What a plan is made from beside its files, opened with the keyring. A step is given the variables of
 * its phase alone; the masks and the digest have all of them. The files pass on to the runner
 * (`runInputs`).
 */
export async function loadRun(
  deps: Pick<Deps, 'store' | 'keyring'>,
  found: FoundRun,
  step: 'plan' | 'apply',
): Promise<LoadedRun> {
  const { store, keyring } = deps
  const { organizationId, run } = found
  const { workspaceId, configurationVersionId } = run
  const { cloudAccountId, name } = found.workspace
  // Independent of each other, so they are sent together.
  const [{ filesSha256, ...sources }, variables, firstPiece, retired] = await store.tenant(
    organizationId,
    async (tenant) =>
      Promise.all([
        planSources(tenant, run),
        workspaceVariables(tenant).list(workspaceId),
        firstSealedPiece(tenant, configurationVersionId),
        retiredValues(tenant).list(workspaceId),
      ]),
  )
  // A key that is missing is the operator's to bring back, so it is known before a runner is taken.
  keyring.assertKnows(firstPiece)
  const open = (table: string, column: string, sealed: Buffer) =>
    keyring.open({ organizationId, table, column }, sealed)

  const values = variables.map((variable) => ({
    key: variable.key,
    kind: variable.kind,
    sensitive: variable.sensitive,
    phase: variable.phase,
    value: open('workspace_variables', 'value', variable.value).toString(),
  }))
  // Written by startRun, from a body that its schema had checked.
  const overrides = (
    run.overrides ? JSON.parse(open('workspace_runs', 'overrides', run.overrides).toString()) : {}
  ) as Overrides

  const env: Record<string, string> = {}
  // A key that is refused today may have been stored before. It is never passed on.
  const isRefused = ({ key, kind }: { key: string; kind: 'terraform' | 'env' }) =>
    faultOfVariableKey(kind, key) !== undefined
  for (const variable of values.filter((variable) => !isRefused(variable))) {
    const { key, kind, value, phase } = variable
    if (isInPhase(phase, step)) env[kind === 'env' ? key : `TF_VAR_${key}`] = value
  }
  for (const [key, value] of Object.entries(overrides)) env[`TF_VAR_${key}`] = String(value)

  const names = secretNames(values, overrides)
  const secrets = withRetired(
    [
      ...values.filter(({ sensitive }) => sensitive).flatMap(secretsIn),
      ...sensitiveOverrides(overrides, names),
    ],
    retired.map(({ value, ...of }) => ({
      ...of,
      value: keyring.open(placeOfRetired(organizationId), value).toString(),
    })),
  )
  return {
    ...found,
    ...sources,
    configuration: { id: configurationVersionId, filesSha256 },
    firstPiece,
    env,
    ignoredVariables: values.filter(isRefused).map(({ key }) => key),
    secrets,
    sensitiveVariables: [...names],
    ...macsOf(keyring, { values, overrides, cloudAccountId, name }),
    valuesDigest: variablesDigest({
      variables,
      overridesMac: run.overridesMac,
      folder: found.workspace.path,
    }),
    overrides: Object.keys(overrides),
  }
}

type NamedValue = Pick<WorkspaceVariable, 'key' | 'kind'> & { value: string }
type Secret = LoadedRun['secrets'][number]

const secretsIn = ({ key, kind, value }: NamedValue): Secret[] =>
  (isOfOpenTofu({ kind, key }) ? withParts(value) : [{ value }]).map((part) => ({ key, ...part }))

/**
 * Masks values from before a change too, the newest first: a plan prints what the state still has. Only as many as are
 * sure to fit, so that they never make a run fail; and no short ones, which reads do not look for within a text either.
 */
function withRetired(secrets: Secret[], retired: readonly NamedValue[]): Secret[] {
  const bytesOf = (list: readonly Secret[]) =>
    list.reduce((sum, { value }) => sum + Buffer.byteLength(value), 0)
  let room = alwaysMaskedBytes - bytesOf(secrets)
  const lists = retired
    .filter(({ value }) => value.trim().length >= shortestPart)
    .map((one) => secretsIn(one).map(({ key, value }) => ({ key, value })))
  const fitting = lists.filter((list) => {
    const bytes = bytesOf(list)
    if (bytes > room) return false
    room -= bytes
    return true
  })
  return [...secrets, ...fitting.flat()]
}

type HashedValue = Pick<WorkspaceVariable, 'key' | 'kind' | 'phase'> & { value: string }
type Hashed = {
  values: HashedValue[]
  overrides: Overrides
  cloudAccountId: number | null
  name: string
}

function macsOf(
  keyring: Deps['keyring'],
  { values, overrides, cloudAccountId, name }: Hashed,
): Pick<LoadedRun, 'variablesMac' | 'formerVariablesMac'> {
  const set = values.map(({ key, kind, value, phase }) =>
    // Omitted for `both`, so that the hashes of plans from before phases existed stay valid.
    JSON.stringify([kind, key, value, ...(phase === 'both' ? [] : [phase])]),
  )
  const overridden = Object.entries(overrides).map((override) => JSON.stringify(override))
  const parts = [set.toSorted(byText), overridden.toSorted(byText)]
  const macOf = (account: unknown[]) =>
    keyring.mac('variables', JSON.stringify([...parts, ...account])).toString('hex')
  // Omitted without one, so that the hashes of older plans stay valid.
  if (cloudAccountId === null) return { variablesMac: macOf([]), formerVariablesMac: macOf([]) }
  return {
    // The account trusts the runs of a workspace by its name.
    variablesMac: macOf([cloudAccountId, name]),
    formerVariablesMac: macOf([cloudAccountId]),
  }
}

const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
