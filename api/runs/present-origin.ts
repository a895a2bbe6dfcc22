import { Type, type Static } from 'typebox'
import { runOrigins, type RunOrigin } from '../../domain/runs/run-origin.ts'
import { OneOf } from '../http/schemas.ts'

export const OriginBody = Type.Object(
  {
    kind: OneOf(runOrigins),
    id: Type.Unsafe<number | string | null>({
      type: ['integer', 'string', 'null'],
      description:
        'Of a person the id of the member, of a push its commit, of a pull request its number, of a deployment the id of the run of the application. Null where there is none.',
    }),
  },
  {
    description:
      'What started the run: a person, a push or a pull request at the Git host, a schedule, a drift check or a deployment.',
  },
)

type Started = {
  origin: RunOrigin
  authorUserId: number | null
  commitSha: string | null
  pullRequest?: number | null
  deployedRunId?: number | null
}

/** What started a run, with the id of what its kind names. */
export const presentOrigin = (started: Started): Static<typeof OriginBody> => ({
  kind: started.origin,
  id: idOf(started),
})

function idOf({ origin, ...of }: Started): number | string | null {
  switch (origin) {
    case 'person':
      return of.authorUserId
    case 'push':
      return of.commitSha
    case 'pull_request':
      return of.pullRequest ?? null
    case 'deployment':
      return of.deployedRunId ?? null
    default:
      return null
  }
}
