/** What a change of a pipeline decides: what its builds make, or what its deployments do with what was built. */
export const changedParts = ['build', 'deploy'] as const
export type ChangedPart = (typeof changedParts)[number]

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
