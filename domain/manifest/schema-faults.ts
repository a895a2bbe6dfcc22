import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js'
import { quote, type ValuePath } from './manifest-fault.ts'
import { ManifestSchema, type Manifest } from './manifest-schema.ts'
import { nearestWord } from './nearest-word.ts'
import type { Spot } from './find-offsets.ts'

/** A fault and, made only if it is shown, its text. */
export type SpotFault = Spot & { say: () => string }

const validate = new Ajv2020({
  allErrors: true,
  verbose: true,
  strict: true,
  strictRequired: false,
  allowUnionTypes: true,
  discriminator: true,
}).compile<Manifest>(ManifestSchema)

/** The manifest, or what the schema finds wrong, each with what to do. */
export function judgeBySchema(value: unknown): { manifest?: Manifest; faults: SpotFault[] } {
  if (validate(value)) return { manifest: value, faults: [] }
  const errors = (validate.errors ?? []).filter(isOwnFault).toSorted((a, b) => rank(a) - rank(b))
  validate.errors = null
  const misspelt = createMisspelt()
  const faults: SpotFault[] = []
  const judged = new Set<string>()
  for (const error of errors) {
    const { instancePath, keyword, params } = error
    const path = pathOf(instancePath, value)
    if (keyword === 'additionalProperties') {
      misspelt.note(error)
      faults.push({ path, key: String(params['additionalProperty']), say: () => unknownKey(error) })
    } else if (keyword === 'propertyNames') {
      const key = String(params['propertyName'])
      const words = wordsOf(schemaOf(error)['propertyNames'])
      faults.push({ path, key, say: () => `the key ${quote(key)} is wrong: write ${words}` })
    } else if (keyword === 'required') {
      if (!misspelt.has(error)) faults.push({ path, say: () => missing(error) })
    } else if (!judged.has(instancePath)) {
      judged.add(instancePath)
      faults.push({ path: [...path, ...within(error)], say: () => badValue(error) })
    }
  }
  return { faults }
}

/** Keys that are there under a wrong name, which is one fault and not two. */
function createMisspelt() {
  const meant = new Set<string>()
  const looked = new Map<string, number>()
  return {
    note(error: ErrorObject): void {
      const { instancePath } = error
      const count = looked.get(instancePath) ?? 0
      looked.set(instancePath, count + 1)
      // The rest of a long list of unknown keys is not worth its time.
      const nearest = count < 20 ? nearestKey(error) : undefined
      if (nearest !== undefined) meant.add(`${instancePath}/${nearest}`)
    },
    has: ({ instancePath, params }: ErrorObject): boolean =>
      meant.has(`${instancePath}/${String(params['missingProperty'])}`),
  }
}

/** Errors of a part that another error speaks for. */
const isOwnFault = ({ keyword, schemaPath, propertyName, params }: ErrorObject): boolean =>
  propertyName === undefined &&
  !/\/contains\//.test(schemaPath) &&
  // `required` says the same.
  !(keyword === 'discriminator' && params['error'] === 'tag' && params['tagValue'] === undefined)

/** Unknown keys first, because they explain missing ones; of several faults of a value, its type is told. */
const rank = ({ keyword }: ErrorObject): number =>
  keyword === 'additionalProperties' ? 0 : keyword === 'type' ? 1 : 2

type AnySchema = { [keyword: string]: unknown; description?: unknown }

const schemaOf = ({ parentSchema }: ErrorObject): AnySchema => parentSchema ?? {}

const wordsOf = (schema: unknown): string => String((schema as AnySchema | undefined)?.description)

const keysOf = (error: ErrorObject): string[] => Object.keys(schemaOf(error)['properties'] ?? {})

const nearestKey = (error: ErrorObject): string | undefined =>
  nearestWord(String(error.params['additionalProperty']), keysOf(error))

function unknownKey(error: ErrorObject): string {
  const nearest = nearestKey(error)
  const advice =
    nearest === undefined
      ? `: remove it, the keys here are ${keysOf(error).join(', ')}`
      : `, did you mean ${quote(nearest)}?`
  return `unknown key ${quote(String(error.params['additionalProperty']))}${advice}`
}

const kinds = '"rolling", "canary", "blue-green" or "all-at-once"'

function missing(error: ErrorObject): string {
  const key = String(error.params['missingProperty'])
  const { properties = {}, oneOf } = schemaOf(error) as {
    properties?: Record<string, unknown>
    oneOf?: unknown
  }
  return `the key ${quote(key)} is missing: write ${oneOf ? kinds : wordsOf(properties[key])}`
}

/** The part of the value that the fault is about. */
function within({ keyword, params }: ErrorObject): ValuePath {
  if (keyword === 'discriminator') return [String(params['tag'])]
  return keyword === 'uniqueItems' ? [Math.max(Number(params['i']), Number(params['j']))] : []
}

function badValue(error: ErrorObject): string {
  const { keyword, params, data } = error
  const words = wordsOf(schemaOf(error))
  if (data === null) return `there is no value: write ${words}`
  if (keyword === 'discriminator') return `${show(params['tagValue'])} is wrong: write ${kinds}`
  if (keyword === 'uniqueItems') return 'this is there twice: remove one'
  if (keyword === 'contains') return `100 is missing: write ${words}`
  if (keyword === 'enum') {
    const nearest = nearestWord(
      typeof data === 'string' ? data : JSON.stringify(data),
      (params['allowedValues'] as unknown[]).map(String),
    )
    if (nearest !== undefined) return `${show(data)} is wrong, did you mean ${quote(nearest)}?`
  }
  const size = /^(max|min)(?:Length|Items|Properties)$/.exec(keyword)
  if (size && data !== '')
    return `${sizeOf(data)} are too ${size[1] === 'max' ? 'many' : 'few'}, ${String(params['limit'])} at ${size[1] === 'max' ? 'most' : 'least'}: write ${words}`
  return `${show(data)} is wrong: write ${words}${keyword === 'type' ? howToWrite(error) : ''}`
}

function sizeOf(data: unknown): string {
  if (typeof data === 'string') return counted(Array.from(data).length, 'character')
  if (Array.isArray(data)) return counted(data.length, 'entry', 'entries')
  return counted(Object.keys(data ?? {}).length, 'key')
}

const counted = (count: number, one: string, many = `${one}s`): string =>
  `${count} ${count === 1 ? one : many}`

/** YAML takes `1` for a number, and a list of one is often written as its entry. */
function howToWrite({ data, params, parentSchema }: ErrorObject): string {
  const types = [params['type']].flat()
  const { pattern = '' } = (parentSchema ?? {}) as { pattern?: string }
  const isPlain = typeof data === 'number' || typeof data === 'boolean'
  if (isPlain && types.includes('string') && new RegExp(pattern).test(String(data)))
    return '; put it in quotes'
  if (types.includes('array') && typeof data !== 'object') return `; a list is [${show(data)}]`
  return ''
}

function show(data: unknown): string {
  if (typeof data === 'string') return quote(data)
  if (Array.isArray(data)) return 'a list'
  if (typeof data === 'object' && data !== null) return 'an object'
  return String(data)
}

/** Of a JSON pointer (RFC 6901). A part is an index where the value is a list. */
function pathOf(pointer: string, root: unknown): ValuePath {
  let value: unknown = root
  return pointer
    .split('/')
    .slice(1)
    .map((part) => {
      const name = part.replaceAll('~1', '/').replaceAll('~0', '~')
      const isList = Array.isArray(value)
      value = (value as Record<string, unknown> | undefined)?.[name]
      return isList ? Number(name) : name
    })
}
