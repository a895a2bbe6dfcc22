import { Type, type Static } from 'typebox'
import { Id, Nullable, OneOf, Time } from '../http/schemas.ts'

const states = ['queued', 'written', 'proposed', 'diverged', 'superseded', 'failed'] as const

const fields = {
  id: Id,
  configurationVersionId: Id,
  connectionId: Nullable(Id),
  branch: Type.String(),
  state: OneOf(states),
  reason: Nullable(Type.String()),
  decision: Nullable(OneOf(['ours', 'theirs'])),
  commitSha: Nullable(Type.String()),
  pullRequestUrl: Nullable(Type.String()),
  createdAt: Time,
  endedAt: Nullable(Time),
}
export const HydrationBody = Type.Object(fields)
export type HydrationBody = Static<typeof HydrationBody>

export const HydrationDetail = Type.Object({
  ...fields,
  /** Null: the file does not exist on that side. */
  differences: Type.Array(
    Type.Object({
      path: Type.String(),
      ours: Nullable(Type.String()),
      theirs: Nullable(Type.String()),
      diff: Nullable(
        Type.String({
          description:
            'From ours to theirs, as `diff -u` writes it; null where they are too far apart.',
        }),
      ),
      change: OneOf(['edited', 'added', 'removed']),
      omitted: Type.Boolean({ description: 'The contents are too long to be shown.' }),
    }),
  ),
  omittedDifferences: Type.Integer({ description: 'How many more files differ.' }),
})
export type HydrationDetail = Static<typeof HydrationDetail>
