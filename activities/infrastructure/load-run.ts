import { AppError } from '../../domain/errors.ts'
import { faultOfVariableKey, isInPhase } from '../../domain/workspaces/variables.ts'
import { stages } from '../../store/runs/stages.ts'
import { workspaceRuns, type WorkspaceRun } from '../../store/runs/workspace-runs.ts'
import {
  configurationVersions,
  type ConfigurationVersion,
} from '../../store/workspaces/configuration-versions.ts'
import { stateVersions, type StateVersion } from '../../store/workspaces/state-versions.ts'
import { workspaceAuthorship } from '../../store/workspaces/workspace-authorship.ts'
import { workspaceVariables } from '../../store/workspaces/workspace-variables.ts'
import { workspaces, type Workspace } from '../../store/workspaces/workspaces.ts'
import { organizationOfRun } from '../../store/platform/run-owners.ts'
import type { Deps } from '../deps.ts'

/** A run's rows, before any data of its author is opened. */
export type FoundRun = {
  organizationId: number
  run: WorkspaceRun
  workspace: Workspace
  stageIds: Record<string, number>
}

export type LoadedRun = FoundRun & {
  configuration: ConfigurationVersion
  /** Environment of the tofu process: TF_VAR_… and the workspace's own. */
  env: Record<string, string>
  /** Keys of variables that are refused today and are not passed. */
  ignoredVariables: string[]
  /** What must not appear in a log: each value with its variable's name. */
  secrets: Array<{ key: string; value: string }>
  /** Names of the variables whose values those are. */
  sensitiveVariables: string[]
  /** Keyed hash over all variables and overrides, for the digest. */
  variablesMac: string
  /** Names of the overrides, to warn of those that the configuration does not declare. */
  overrides: string[]
  state: StateVersion | undefined
  authorshipThrough: number
}

/** The organization of a run. Throws if the run was deleted. */
export async function ownerOf(deps: Pick<Deps, 'store'>, runId: number): Promise<number> {
  const organizationId = await organizationOfRun(deps.store.platform, runId)
  if (organizationId === undefined) throw new AppError('not_found', 'The run is gone')
  return organizationId
}

export async function findRun(deps: Pick<Deps, 'store'>, runId: number): Promise<FoundRun> {
  const organizationId = await ownerOf(deps, runId)
  return deps.store.tenant(organizationId, async (tenant) => {
    const run = await workspaceRuns(tenant).get(runId)
    const stageRows = await stages(tenant).ofRuns([runId])
    return {
      organizationId,
      run,
      workspace: await workspaces(tenant).get(run.workspaceId),
      stageIds: stageIdsOf(stageRows),
    }
  })
}

const stageIdsOf = (rows: ReadonlyArray<{ name: string; id: number }>): Record<string, number> =>
  Object.fromEntries(rows.map(({ name, id }) => [name, id]))

/**
 * What a plan is made from beside its files, opened with the keyring. A step is given the variables of
 * its phase alone; the masks and the digest have all of them. The files pass on to the runner
 * (`runInputs`).
 */
export async function loadRun(
  deps: Pick<Deps, 'store' | 'keyring'>,
  { organizationId, run: { id: runId } }: FoundRun,
  step: 'plan' | 'apply',
): Promise<LoadedRun> {
  const { store, keyring } = deps
  const rows = await store.tenant(organizationId, async (tenant) => {
    const run = await workspaceRuns(tenant).get(runId)
    return {
      run,
      workspace: await workspaces(tenant).get(run.workspaceId),
      configuration: await configurationVersions(tenant).get(run.configurationVersionId),
      sealedHead: await configurationVersions(tenant).sealedPiece(
        run.configurationVersionId,
        0,
        maxHeadBytes,
      ),
      variables: await workspaceVariables(tenant).list(run.workspaceId),
      state: await stateVersions(tenant).current(run.workspaceId),
      authorshipThrough: await workspaceAuthorship(tenant).newestId(run.workspaceId),
      stages: await stages(tenant).ofRuns([runId]),
    }
  })
  const { sealedHead, variables, stages: stageRows, ...rest } = rows
  // A key that is missing is the operator's to bring back, so it is known before a runner is taken.
  keyring.assertKnows(sealedHead)
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
    rest.run.overrides
      ? JSON.parse(open('workspace_runs', 'overrides', rest.run.overrides).toString())
      : {}
  ) as Record<string, string | number | boolean>

  const env: Record<string, string> = {}
  // A key that is refused today may have been stored before. It is never passed on.
  const isRefused = ({ key, kind }: { key: string; kind: 'terraform' | 'env' }) =>
    faultOfVariableKey(kind, key) !== undefined
  for (const variable of values.filter((variable) => !isRefused(variable))) {
    const { key, kind, value, phase } = variable
    if (isInPhase(phase, step)) env[kind === 'env' ? key : `TF_VAR_${key}`] = value
  }
  for (const [key, value] of Object.entries(overrides)) env[`TF_VAR_${key}`] = String(value)

  const sensitiveKeys = new Set(values.filter((v) => v.sensitive).map(({ key }) => key))
  const secrets = [
    ...values.filter(({ sensitive }) => sensitive).map(({ key, value }) => ({ key, value })),
    // An override of a sensitive variable is as sensitive as what it overrides.
    ...Object.entries(overrides)
      .filter(([key]) => sensitiveKeys.has(key))
      .map(([key, value]) => ({ key, value: String(value) })),
  ]
  return {
    organizationId,
    ...rest,
    env,
    ignoredVariables: values.filter(isRefused).map(({ key }) => key),
    secrets,
    sensitiveVariables: [...sensitiveKeys],
    variablesMac: keyring
      .mac(
        'variables',
        JSON.stringify([
          values
            .map(({ key, kind, value, phase }) =>
              // Omitted for `both`, so that the hashes of plans from before phases existed stay valid.
              JSON.stringify([kind, key, value, ...(phase === 'both' ? [] : [phase])]),
            )
            .toSorted(byText),
          Object.entries(overrides)
            .map((override) => JSON.stringify(override))
            .toSorted(byText),
        ]),
      )
      .toString('hex'),
    overrides: Object.keys(overrides),
    stageIds: stageIdsOf(stageRows),
  }
}

/** The envelope of a sealed value names its key in these (gateways/keyring/keyring.ts). */
const maxHeadBytes = 300

const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
