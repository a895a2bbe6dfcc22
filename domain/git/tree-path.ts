import { invalid } from '../errors.ts'
import { isGitFolder } from '../workspaces/configuration-files.ts'

const maxShown = 255

/**
 * Refuses a path by which a checkout would leave its folder or write into `.git` (git's
 * `verify_path`). Only an attacker makes a tree with such names.
 */
export function checkTreePath(path: string): void {
  const unsafe = path
    .split('/')
    .some(
      (name) =>
        name === '' || name === '.' || name === '..' || name.includes('\\') || isGitFolder(name),
    )
  if (unsafe) throw unsafeTreePath(path)
}

export function unsafeTreePath(path: string) {
  const shown = JSON.stringify(path.slice(0, maxShown))
  return invalid(
    `The repository has the path ${shown}, which no checkout may write. Take it out of the branch.`,
    [{ path: 'source', message: `the path ${shown} is refused` }],
    'git_source_unsafe_path',
  )
}
