import { changesOfBranch } from '../domain/pipelines/parts-of-change.ts'

/** SQL: whether a change of a pipeline is of the branch that its runs are built from where they name nothing else. */
export const isOfBranch = (change: string): string =>
  `(string_to_array(${change}.what, ', ') && array[${changesOfBranch.map((what) => `'${what}'`).join(', ')}])`

/** SQL: that branch, of pipeline `p`; null where neither it nor its connection names one. */
const ownBranch = `coalesce(p.app_branch, (select g.default_branch from git_connections g
  where g.organization_id = p.organization_id and g.id = p.app_git_connection_id))`

/**
 * SQL: whether the run `a` was built from the branch that pipeline `p` has now. Where neither the pipeline nor its
 * connection names one, a push of the host's own default branch starts runs, and no person can start one without a name.
 */
export const isOfOwnBranch = (a: string): string =>
  `(${a}.branch = ${ownBranch} or (${ownBranch} is null and ${a}.origin = 'push' and ${a}.tag is null))`
