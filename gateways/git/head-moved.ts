import { conflict } from '../../domain/errors.ts'
import { refusalOf } from './git-refusal.ts'

export const headMoved = () =>
  conflict('git_head_moved', 'The branch has moved on since it was read. Try again.')

export const branchProtected = (reason?: string) =>
  conflict(
    'git_branch_protected',
    `The branch is protected${reason ? `: ${reason}` : ' and takes no direct commits.'}`,
  )

export const hasCode = (error: unknown, code: string): boolean => refusalOf(error)?.code === code
