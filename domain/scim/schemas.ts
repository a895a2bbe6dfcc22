import { Schemas, type Types } from 'scimmy'

export const userUrn = 'urn:ietf:params:scim:schemas:core:2.0:User'
export const groupUrn = 'urn:ietf:params:scim:schemas:core:2.0:Group'
export const enterpriseUrn = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'

export type Attribute = {
  name: string
  type: 'string' | 'boolean' | 'dateTime' | 'reference' | 'complex'
  multiValued: boolean
  required: boolean
  caseExact: boolean
  mutability: 'readOnly' | 'readWrite' | 'immutable' | 'writeOnly'
  returned: 'always' | 'never' | 'default' | 'request'
  uniqueness: 'none' | 'server' | 'global'
  description: string
  subAttributes?: Attribute[]
  referenceTypes?: string[]
}

export type Schema = { id: string; name: string; description: string; attributes: Attribute[] }

/** What a resource consists of: the attributes of its schema, those that every resource has, and extensions. */
export type ResourceSchema = { core: Schema; common: Attribute[]; extensions: Schema[] }

const plain = {
  multiValued: false,
  required: false,
  caseExact: false,
  mutability: 'readWrite',
  returned: 'default',
  uniqueness: 'none',
} as const

/** RFC 7643 3.1: not in /Schemas, and in every resource. */
const common: Attribute[] = [
  {
    ...plain,
    name: 'id',
    type: 'string',
    caseExact: true,
    mutability: 'readOnly',
    description: '',
  },
  { ...plain, name: 'externalId', type: 'string', caseExact: true, description: '' },
  {
    ...plain,
    name: 'meta',
    type: 'complex',
    mutability: 'readOnly',
    description: '',
    subAttributes: [
      metaPart('resourceType', 'string'),
      metaPart('created', 'dateTime'),
      metaPart('lastModified', 'dateTime'),
      metaPart('location', 'reference'),
      metaPart('version', 'string'),
    ],
  },
]

function metaPart(name: string, type: Attribute['type']): Attribute {
  const caseExact = type !== 'dateTime'
  return { ...plain, name, type, caseExact, mutability: 'readOnly', description: '' }
}

/** The schemas of a resource. Clients cannot write it, but may filter by it (RFC 7644 3.4.2.2). */
const schemasValue: Attribute = {
  ...plain,
  name: 'value',
  type: 'string',
  mutability: 'readOnly',
  description: '',
}
export const schemasAttribute: Attribute = {
  ...schemasValue,
  name: 'schemas',
  type: 'complex',
  multiValued: true,
  subAttributes: [schemasValue],
}

type Change = Partial<Attribute> & { subs?: Record<string, Partial<Attribute> | null> }

/**
 * The library's definitions of RFC 7643, without what is not stored here: conformance suites and identity
 * providers write whatever /Schemas declares as writable. Null leaves an attribute out.
 */
function schemaFrom(
  definition: Types.SchemaDefinition,
  changes: Record<string, Change | null>,
): Schema {
  // The library's own description, as JSON, is that of /Schemas (RFC 7643 7).
  const described: Schema = JSON.parse(JSON.stringify(definition.describe()))
  const { id, name, description, attributes } = described
  return { id, name, description, attributes: attributes.flatMap((one) => changed(one, changes)) }
}

function changed(attribute: Attribute, changes: Record<string, Change | null>): Attribute[] {
  const change = changes[attribute.name]
  if (change === null) return []
  const { subs = {}, ...fields } = change ?? {}
  // The RFC's canonical values are suggestions: any type that an identity provider sends is stored.
  const { canonicalValues: _, ...kept } = attribute as Attribute & { canonicalValues?: unknown }
  const subAttributes = attribute.subAttributes?.flatMap((sub) => changed(sub, subs))
  return [
    {
      ...plain,
      ...kept,
      ...(subAttributes && { subAttributes }),
      ...fields,
    },
  ]
}

const readOnly = { mutability: 'readOnly' } as const
const allReadOnly = { value: readOnly, $ref: readOnly, display: readOnly, type: readOnly }

const user = schemaFrom(Schemas.User.definition, {
  active: { required: true },
  // A password that an identity provider has seen signs nobody in.
  password: null,
  ims: null,
  photos: null,
  entitlements: null,
  x509Certificates: null,
  groups: { ...readOnly, subs: { ...allReadOnly, type: null } },
  roles: {
    ...readOnly,
    subs: { value: readOnly, primary: readOnly, display: null, type: null },
  },
})

const group = schemaFrom(Schemas.Group.definition, {
  displayName: { uniqueness: 'server' },
  members: { subs: { $ref: { referenceTypes: ['User'] }, type: null } },
})

const enterprise = schemaFrom(Schemas.EnterpriseUser.definition, {})

export const userSchema: ResourceSchema = { core: user, common, extensions: [enterprise] }
export const groupSchema: ResourceSchema = { core: group, common, extensions: [] }
export const allSchemas: readonly Schema[] = [user, group, enterprise]
