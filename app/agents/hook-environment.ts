import type { Keyring } from '../../gateways/keyring/keyring.ts'
import type { DeployedRelease } from '../../store/agents/release-of-deployment.ts'
import { openVariables } from '../deployments/seal-variables.ts'

export type HookVariable = { key: string; value: string; sensitive: boolean }

/**
 * The environment of a release's hooks: what it is, the outputs of its target, and the variables of its
 * deployment, as they were when it began. The agent adds what only the host knows.
 */
export function hookEnvironment(
  keyring: Keyring,
  organizationId: number,
  release: DeployedRelease,
): HookVariable[] {
  const open = openEnvironment(release).map((one) => ({ ...one, sensitive: false }))
  return [...open, ...deployVariables(keyring, organizationId, release)]
}

/** What is no secret of it. It is signed with the deployment's order. */
export function openEnvironment(release: DeployedRelease): Array<{ key: string; value: string }> {
  const fixed: Array<[key: string, value: string | null]> = [
    ['CC_RUN_ID', String(release.runId)],
    ['CC_RELEASE_DIGEST', release.digest],
    ['CC_PIPELINE', release.pipelineName],
    ['CC_WORKSPACE', release.workspaceName],
    ['CC_COMMIT', release.commitSha],
    ...Object.entries(release.outputs),
  ]
  return fixed.flatMap(([key, value]) => (value === null ? [] : [{ key, value }]))
}

/** Which of them are sensitive is not kept with them, so all are masked. */
export function deployVariables(
  keyring: Keyring,
  organizationId: number,
  { variables, runId }: Pick<DeployedRelease, 'variables' | 'runId'>,
): HookVariable[] {
  if (variables === null) return []
  const values = openVariables(keyring, { organizationId, runId }, variables)
  return Object.entries(values).map(([key, value]) => ({ key, value, sensitive: true }))
}
