import { conflict, unavailable } from '../../domain/errors.ts'
import { refusalOf } from './git-refusal.ts'

export const headMoved = () =>
  conflict('git_head_moved', 'The branch has moved on since it was read. Try again.')

export const branchProtected = (reason?: string) =>
  conflict(
    'git_branch_protected',
    `The branch is protected${reason ? `: ${reason}` : ' and takes no direct commits.'}`,
  )

export const hasCode = (error: unknown, code: string): boolean => refusalOf(error)?.code === code

/** Wraps a client library's errors: their texts can contain the request, and with it the token. */
export async function asked<T>(provider: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw (
      refusalOf(error) ??
      unavailable(
        'git_provider_unavailable',
        `${provider} answered in a way that is not understood.`,
        error,
      )
    )
  }
}
