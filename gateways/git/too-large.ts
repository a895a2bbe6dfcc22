import { conflict } from '../../domain/errors.ts'
import { hasCode } from './head-moved.ts'

/** An answer that is larger than is read does not get smaller by asking for days. */
export const tooLarge = (provider: string, error: unknown): unknown =>
  hasCode(error, 'response_too_large')
    ? conflict('git_repository_too_large', `${provider} sent more than is read of a repository.`)
    : error
