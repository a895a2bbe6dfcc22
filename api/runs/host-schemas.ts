import { Type } from 'typebox'
import { Id, NextCursor, Nullable, OneOf, Time } from '../http/schemas.ts'

const HookBody = Type.Object({
  name: Type.String(),
  state: Type.String(),
  exitCode: Nullable(Type.Integer()),
  durationMs: Nullable(Type.Number()),
})

export const HostList = Type.Object({
  hosts: Type.Array(
    Type.Object({
      agent: Type.Object({ id: Id, name: Type.String() }),
      state: OneOf([
        'pending',
        'updating',
        'rolling_back',
        'staged',
        'healthy',
        'failed',
        'rolled_back',
        'stuck',
        'unreachable',
      ]),
      batch: Nullable(Type.Integer()),
      release: Nullable(
        Type.Object(
          { digest: Type.String(), runId: Nullable(Type.Integer()) },
          { description: 'What the host runs, by its last result.' },
        ),
      ),
      hooks: Type.Array(HookBody),
      message: Nullable(Type.String()),
      startedAt: Nullable(Time),
      endedAt: Nullable(Time),
    }),
  ),
  nextCursor: NextCursor,
})
