import { Type } from 'typebox'
import { Body, Nullable } from '../http/schemas.ts'

const FaultBody = Type.Object({
  line: Type.Integer({ description: 'From 1.' }),
  column: Type.Integer({ description: 'From 1, in UTF-16 units.' }),
  path: Type.String({ description: 'As `build.steps[0].run`; empty for the whole manifest.' }),
  message: Type.String(),
})

export const CheckManifestBody = Body({
  yaml: Type.String({
    maxLength: 1_048_576,
    description: 'The text of `.cloud-control/pipeline.yml`. Above 256 KiB it is 413.',
  }),
})

export const CheckedManifestBody = Type.Object({
  ok: Type.Boolean(),
  errors: Type.Array(FaultBody),
  warnings: Type.Array(FaultBody),
})

export const StarterBody = Type.Object({
  language: Type.String(),
  foundBy: Nullable(Type.String()),
  path: Type.String(),
  yaml: Type.String(),
})
