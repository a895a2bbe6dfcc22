import { Type } from 'typebox'
import { NextCursor, Nullable } from '../http/schemas.ts'

const Shown = Type.Unsafe<string | number | boolean | null>({
  type: ['string', 'number', 'boolean', 'null'],
})
const Attribute = Type.Object({
  path: Type.String(),
  before: Shown,
  after: Shown,
  sensitive: Type.Boolean(),
  unknown: Type.Boolean(),
  forcesReplacement: Type.Optional(Type.Boolean()),
  cut: Type.Optional(
    Type.Boolean({
      description:
        'A side is longer than what is shown of it. Of two texts, the part is shown in which they begin to differ.',
    }),
  ),
})
const changeFields = {
  actions: Type.Array(Type.String()),
  attributes: Type.Array(Attribute),
  /** How many further attributes differ than are shown. */
  omittedAttributes: Type.Integer(),
}
const PlannedResource = Type.Object({
  address: Type.String(),
  previousAddress: Type.Optional(Type.String()),
  importing: Type.Optional(
    Type.Object(
      { id: Type.String() },
      {
        description:
          'The object that the plan imports, whatever `actions` do to it then: its id in the cloud, or its identity as JSON. Absent of all other changes, and of plans of earlier versions.',
      },
    ),
  ),
  module: Type.Optional(Type.String()),
  type: Type.String(),
  name: Type.String(),
  index: Type.Optional(Type.Unknown()),
  provider: Type.String(),
  replaceReason: Type.Optional(Type.String()),
  dependsOn: Type.Optional(
    Type.Array(Type.String(), {
      description:
        'Which of the other changes it needs, as blocks of the configuration without keys of instances. Those that are needed through another change are left out, and those through a local value alone are not known.',
    }),
  ),
  omittedDependencies: Type.Optional(
    Type.Integer({ description: 'How many more it needs than are named.' }),
  ),
  outcome: Type.Optional(
    Type.Object(
      {
        result: Type.Union([Type.Literal('done'), Type.Literal('failed')]),
        seconds: Type.Integer(),
      },
      {
        description: 'What the apply did to it; absent until then, and where its log says nothing.',
      },
    ),
  ),
  ...changeFields,
})

/** A page of a plan: its rows in order, deletions first. */
export const PlanPage = Type.Object({
  overview: Type.Object({
    actions: Type.Object({
      destroy: Type.Integer(),
      replace: Type.Integer(),
      update: Type.Integer(),
      create: Type.Integer(),
      read: Type.Integer(),
      move: Type.Integer(),
    }),
    outputs: Type.Integer(),
    drift: Type.Integer(),
    imports: Type.Optional(
      Type.Integer({
        description:
          'How many objects are imported, whatever else is done to them. Absent of plans of earlier versions.',
      }),
    ),
    omittedChanges: Type.Integer(),
  }),
  resources: Type.Array(PlannedResource),
  outputs: Type.Array(Type.Object({ name: Type.String(), ...changeFields })),
  drift: Type.Array(PlannedResource),
  nextCursor: NextCursor,
})

/** Null before there is a plan, and for plans of versions that kept no rows. */
export const NullablePlanPage = Nullable(PlanPage)
