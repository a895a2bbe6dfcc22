import { Type, type Static } from 'typebox'
import type { VersionPrecondition } from '../../domain/workspaces/version-precondition.ts'

const Tags = Type.Optional(Type.String({ maxLength: 1_000 }))

/** `If-Match` and `If-None-Match` of a save. */
export const PreconditionHeaders = Type.Object({ 'if-match': Tags, 'if-none-match': Tags })

export const preconditionIn = (
  headers: Static<typeof PreconditionHeaders>,
): VersionPrecondition => ({
  ifMatch: headers['if-match'],
  ifNoneMatch: headers['if-none-match'],
})
