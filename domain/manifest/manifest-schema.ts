import { Type, type Static } from 'typebox'
import { Build } from './build-schema.ts'
import { Deploy } from './deploy-schema.ts'

/**
 * The manifest of an application. It is validated by this schema, and published as it is. What no schema
 * can say is in `meaning-faults.ts`.
 */
export const ManifestSchema = Type.Object(
  {
    version: Type.Literal(1, { description: 'the version of this format, 1' }),
    build: Build,
    deploy: Type.Optional(Deploy),
  },
  {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'cloud-control pipeline manifest (.cloud-control/pipeline.yml)',
    description: 'a manifest, an object with "version" and "build"',
    additionalProperties: false,
  },
)

export type Manifest = Static<typeof ManifestSchema>

/** JSON Schema 2020-12, for editors and other validators. */
export const publishedSchema = JSON.stringify(ManifestSchema)
