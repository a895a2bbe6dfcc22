import { invalid } from '../errors.ts'

/** What a configuration may have when it is sent as a body, too. */
export const maxSourceBytes = 10 * 1_048_576

export const sourceTooLarge = (what: string) =>
  invalid(
    `The folder has ${what}. Let the workspace's path name a smaller one.`,
    [{ path: 'path', message: `has ${what}` }],
    'git_source_too_large',
  )

export const moreThanIsRead = () => sourceTooLarge('more than 10 MiB')
