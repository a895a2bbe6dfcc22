import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Writes the console's types from api/openapi.json: each operation's method, path, parameters, body
 * and answer. Existing generators need the compiler API of TypeScript 5.
 */
const root = join(import.meta.dirname, '..')

type Schema = {
  type?: string | string[]
  enum?: unknown[]
  const?: unknown
  anyOf?: Schema[]
  oneOf?: Schema[]
  allOf?: Schema[]
  items?: Schema
  properties?: Record<string, Schema>
  required?: string[]
  patternProperties?: Record<string, Schema>
  additionalProperties?: boolean | Schema
}
type Content = { content?: Record<string, { schema?: Schema }> }
type Operation = {
  operationId?: string
  parameters?: Array<{ name: string; in: string; required?: boolean; schema?: Schema }>
  requestBody?: Content
  responses?: Record<string, Content>
}
type Document = { paths: Record<string, Record<string, Operation>> }

export function consoleClient(document: Document): string {
  const routes: string[] = []
  const types: string[] = []
  for (const [path, methods] of Object.entries(document.paths))
    for (const [method, operation] of Object.entries(methods)) {
      if (!operation.operationId || !path.startsWith('/api/')) continue
      routes.push(`  ${operation.operationId}: ['${method.toUpperCase()}', '${path}'],`)
      types.push(`  ${operation.operationId}: ${typesOf(operation)}`)
    }
  return [
    '// Written by `npm run build:client` from api/openapi.json: change the API and run it again.',
    'export const routes = {',
    ...routes,
    '} as const',
    '',
    'export type Operations = {',
    ...types,
    '}',
    '',
  ].join('\n')
}

function typesOf({ parameters = [], requestBody, responses = {} }: Operation): string {
  const of = (place: string) =>
    typeOf({
      type: 'object',
      properties: Object.fromEntries(
        parameters.filter((one) => one.in === place).map((one) => [one.name, one.schema ?? {}]),
      ),
      required: parameters.filter((one) => one.required).map((one) => one.name),
    })
  const good = Object.entries(responses)
    .filter(([status]) => status.startsWith('2'))
    .map(([, response]) => bodyOf(response))
  const answer = [...new Set(good)].join(' | ') || 'unknown'
  const body = requestBody?.content?.['application/json'] ? bodyOf(requestBody) : '{}'
  return `{ params: ${of('path')}; query: ${of('query')}; body: ${body}; answer: ${answer} }`
}

const bodyOf = ({ content }: Content): string => typeOf(content?.['application/json']?.schema ?? {})

function typeOf(schema: Schema): string {
  if ('const' in schema) return JSON.stringify(schema.const)
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ')
  const choice = schema.anyOf ?? schema.oneOf
  if (choice) return choice.map((one) => typeOf(one)).join(' | ')
  if (schema.allOf) return schema.allOf.map((one) => `(${typeOf(one)})`).join(' & ')
  if (Array.isArray(schema.type))
    return schema.type.map((type) => typeOf({ ...schema, type })).join(' | ')
  switch (schema.type) {
    case 'string':
      return 'string'
    case 'integer':
    case 'number':
      return 'number'
    case 'boolean':
      return 'boolean'
    case 'null':
      return 'null'
    case 'array':
      return `Array<${typeOf(schema.items ?? {})}>`
    case 'object':
      return objectType(schema)
    default:
      return 'unknown'
  }
}

function objectType({ properties, required = [], ...rest }: Schema): string {
  const fields = Object.entries(properties ?? {}).map(([name, schema]) => {
    const key = /^[A-Za-z_]\w*$/.test(name) ? name : JSON.stringify(name)
    return `${key}${required.includes(name) ? '' : '?'}: ${typeOf(schema)}`
  })
  if (fields.length > 0) return `{ ${fields.join('; ')} }`
  const values = rest.patternProperties
    ? Object.values(rest.patternProperties)
    : typeof rest.additionalProperties === 'object'
      ? [rest.additionalProperties]
      : []
  if (values.length > 0) return `Record<string, ${values.map((one) => typeOf(one)).join(' | ')}>`
  return '{}'
}

if (process.argv[1] === import.meta.filename) {
  // A test compares the document with the API.
  const document = JSON.parse(readFileSync(join(root, 'api/openapi.json'), 'utf8')) as Document
  writeFileSync(join(root, 'console/src/api/operations.ts'), consoleClient(document))
}
