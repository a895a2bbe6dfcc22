import { Type } from 'typebox'
import { OneLine } from '../http/one-line.ts'
import { Body, Id, NamedPage, Nullable, OneOf, Text, Time } from '../http/schemas.ts'
import { LastRunBody } from '../runs/schemas.ts'

export const PipelineBody = Type.Object({
  id: Id,
  name: Type.String(),
  kind: OneOf(['application', 'infrastructure']),
  managed: Type.Boolean(),
  appGitConnectionId: Nullable(Id),
  appRepo: Nullable(Type.String()),
  targetWorkspaceId: Nullable(Id),
  targetWorkspaceName: Nullable(Type.String()),
  strategy: Nullable(Type.String()),
  criticality: OneOf(['standard', 'production']),
  lastRun: Nullable(LastRunBody),
  createdAt: Time,
})

export const PipelineQuery = Type.Object({
  ...NamedPage.properties,
  managed: Type.Optional(
    Type.Boolean({
      description: 'True: only those that workspaces brought. False: only the others.',
    }),
  ),
})

export const NewPipelineBody = Body({
  name: OneLine(200),
  kind: Type.Optional(OneOf(['application', 'infrastructure'])),
  appGitConnectionId: Type.Optional(Id),
  appRepo: Type.Optional(Text(300, 1)),
  targetWorkspaceId: Type.Optional(Id),
  strategy: Type.Optional(Text(100, 1)),
})
