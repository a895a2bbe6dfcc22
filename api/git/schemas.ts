import { Type, type Static } from 'typebox'
import { gitProviders } from '../../domain/git/providers.ts'
import { Body, Id, Nullable, OneOf, Text, Time } from '../http/schemas.ts'

const repoTypes = ['infra', 'application'] as const
const statuses = ['healthy', 'invalid_token', 'unreachable', 'initializing', 'error'] as const

export const GitConnectionBody = Type.Object({
  id: Id,
  provider: OneOf(gitProviders),
  host: Type.String(),
  defaultRepo: Nullable(Type.String()),
  defaultBranch: Nullable(Type.String()),
  repoType: OneOf(repoTypes),
  status: OneOf(statuses),
  statusReason: Nullable(Type.String()),
  tokenSet: Type.Boolean(),
  /** Whether pushes are noticed through a webhook, and if not, why. */
  webhook: Type.Object({
    state: OneOf(['none', 'pending', 'active', 'unavailable']),
    reason: Nullable(Type.String()),
  }),
  checkedAt: Time,
  createdAt: Time,
  updatedAt: Time,
})
export type GitConnectionBody = Static<typeof GitConnectionBody>

const repo = {
  repo: Type.Optional(Text(300, 1)),
  repoUrl: Type.Optional(Text(1_000, 1)),
}

export const NewGitConnectionBody = Body({
  provider: OneOf(gitProviders),
  host: Type.Optional(Text(253, 1)),
  token: Text(600, 1),
  ...repo,
  branch: Type.Optional(Text(255, 1)),
  repoType: Type.Optional(OneOf(repoTypes)),
})
export type NewGitConnectionBody = Static<typeof NewGitConnectionBody>

export const GitDefaultsBody = Body({
  defaultRepo: Type.Optional(Text(1_000, 1)),
  defaultBranch: Type.Optional(Text(255, 1)),
})
export type GitDefaultsBody = Static<typeof GitDefaultsBody>

export const GitRepositoryBody = Type.Object({
  fullName: Type.String(),
  defaultBranch: Nullable(Type.String()),
  private: Type.Boolean(),
  archived: Type.Boolean(),
})
