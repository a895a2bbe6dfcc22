import { changesOfBranch } from '../domain/pipelines/parts-of-change.ts'

/** SQL: whether a change of a pipeline is of the branch that its runs are built from where they name nothing else. */
export const isOfBranch = (change: string): string =>
  `(string_to_array(${change}.what, ', ') && array[${changesOfBranch.map((what) => `'${what}'`).join(', ')}])`

/** SQL: that branch, of pipeline `p`; null where neither it nor its connection names one. */
export const ownBranch = `coalesce(p.app_branch, (select g.default_branch from git_connections g
  where g.organization_id = p.organization_id and g.id = p.app_git_connection_id))`
