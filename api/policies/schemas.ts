import { Type, type Static } from 'typebox'
import { OneLine } from '../http/one-line.ts'
import { Body, Id, OneOf, Text, Time } from '../http/schemas.ts'
import { PreconditionHeaders } from '../workspaces/version-precondition-headers.ts'

const enforcements = ['mandatory', 'advisory'] as const

/** Which workspaces' plans a policy judges. */
const Scope = Type.Union([
  OneOf(['all', 'production']),
  Type.Array(Id, { minItems: 1, maxItems: 1_000, uniqueItems: true }),
])

export const PolicyBody = Type.Object({
  id: Id,
  name: Type.String(),
  rego: Type.String(),
  enforcement: OneOf(enforcements),
  workspaces: Type.Union([OneOf(['all', 'production']), Type.Array(Id)]),
  version: Type.Integer(),
  createdAt: Time,
  updatedAt: Time,
})
export type PolicyBody = Static<typeof PolicyBody>

const fields = {
  name: OneLine(200),
  rego: Text(131_072, 1),
  enforcement: OneOf(enforcements),
  workspaces: Scope,
}

export const NewPolicyBody = Body(fields)
export type NewPolicyBody = Static<typeof NewPolicyBody>

export const PolicyChangeBody = Body({
  name: Type.Optional(fields.name),
  rego: Type.Optional(fields.rego),
  enforcement: Type.Optional(fields.enforcement),
  workspaces: Type.Optional(fields.workspaces),
})
export type PolicyChangeBody = Static<typeof PolicyChangeBody>

/** A policy that is changed exists, so `If-None-Match` would say nothing. */
export const ChangeHeaders = Type.Object({
  'if-match': PreconditionHeaders.properties['if-match'],
})

export const PolicyAnswer = Type.Object({ ok: Type.Literal(true), policy: PolicyBody })
