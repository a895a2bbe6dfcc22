/** What a change of a pipeline decides: what its builds make, or what its deployments do with what was built. */
export const changedParts = ['build', 'deploy'] as const
export type ChangedPart = (typeof changedParts)[number]

/**
 * How a change of what a Git connection names is noted for the pipelines that follow it. Stored, and compared in SQL
 * (store/own-branch.ts): a note of other words would count as deployed by a run of any branch.
 */
export const defaultsOfConnection = 'default repository or branch of the Git connection'

/**
 * Notes of a change of the branch. A run of a commit, a tag or another branch has nothing of such a change: deployed, it
 * does not show to anybody what the branch of the next run has.
 */
export const changesOfBranch = ['appBranch', defaultsOfConnection] as const

const ofBuild = new Set([
  'appBranch',
  'appPath',
  'sbom',
  'triggerPush',
  'triggerPaths',
  'triggerTags',
])
const ofDeploy = new Set(['targetWorkspaceId', 'strategy', 'rollbackApproval', 'agentWaitMinutes'])

/**
 * A promotion deploys what another pipeline has built, so it settles, and is answered for by, changes of the second
 * part alone. A field that is named in neither is of both: so are the source, which says what may be promoted, and the
 * name, which hooks are given and the provenance has.
 */
export const partsOfChange = (fields: readonly string[]): ChangedPart[] =>
  changedParts.filter((part) => {
    const ofOther = part === 'build' ? ofDeploy : ofBuild
    return fields.some((field) => !ofOther.has(field))
  })
