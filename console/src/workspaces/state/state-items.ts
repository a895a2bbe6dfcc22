import type { Attribute } from '../../infrastructure/plan.ts'

/** A resource instance or an output of a state, with its values as text by their names. */
export type StateItem = { address: string; values: Map<string, StateValue> }
export type StateValue = { text: string; shown: Attribute['after']; sensitive: boolean }

type Values = Record<string, unknown>

/** What a state of version 4 contains, by address. Undefined for anything else. */
export function itemsOfState(state: unknown): StateItem[] | undefined {
  if (!isObject(state) || state['version'] !== 4) return undefined
  const outputs = isObject(state['outputs']) ? Object.entries(state['outputs']) : []
  return [
    ...listOf(state['resources']).flatMap(instancesOf),
    ...outputs.map(([name, output]) => ({
      address: `output.${name}`,
      values: new Map([
        ['value', valueOf(own(output, 'value'), own(output, 'sensitive') !== false)],
      ]),
    })),
  ]
}

function instancesOf(resource: Values): StateItem[] {
  const { module, mode, type, name } = resource
  const base = [
    ...(typeof module === 'string' ? [module] : []),
    ...(mode === 'data' ? ['data'] : []),
    `${String(type)}.${String(name)}`,
  ].join('.')
  return listOf(resource['instances']).map((instance) => {
    const key = instance['index_key']
    const deposed =
      typeof instance['deposed'] === 'string' ? ` (deposed ${instance['deposed']})` : ''
    const index = key === undefined || key === null ? '' : `[${JSON.stringify(key)}]`
    return { address: `${base}${index}${deposed}`, values: valuesOf(instance) }
  })
}

function valuesOf(instance: Values): Map<string, StateValue> {
  const attributes = isObject(instance['attributes']) ? instance['attributes'] : {}
  const hidden = sensitiveNames(instance['sensitive_attributes'])
  return new Map(
    Object.entries(attributes).map(([name, value]) => [
      name,
      valueOf(value, hidden === 'all' || hidden.has(name) || soundsSecret.test(name)),
    ]),
  )
}

/** A provider may not mark what it should, and a page can be seen by people who stand behind. */
const soundsSecret = /password|passwd|secret|token|private_?key|credential/i

/** The attributes that hold something sensitive. A mark of another form hides all of them. */
function sensitiveNames(marks: unknown): ReadonlySet<string> | 'all' {
  if (marks === undefined || marks === null) return new Set()
  if (!Array.isArray(marks)) return 'all'
  const names = marks.map((path: unknown) => {
    const step: unknown = Array.isArray(path) ? path[0] : undefined
    const name = isObject(step) && step['type'] === 'get_attr' ? step['value'] : undefined
    return typeof name === 'string' ? name : undefined
  })
  const known = names.filter((name) => name !== undefined)
  return known.length === names.length ? new Set(known) : 'all'
}

function valueOf(value: unknown, sensitive: boolean): StateValue {
  const text = JSON.stringify(value) ?? 'null'
  const isPlain = value === null || ['string', 'number', 'boolean'].includes(typeof value)
  // A list or an object is shown as its text.
  const shown = isPlain ? (value as StateValue['shown']) : text
  return { text, shown, sensitive: sensitive && value !== null }
}

export type StateChange = {
  address: string
  action: 'create' | 'destroy' | 'update'
  attributes: Attribute[]
}

/** What differs between two states. Equal items are left out. */
export function compareStates(
  before: readonly StateItem[],
  after: readonly StateItem[],
): StateChange[] {
  const olds = new Map(before.map((item) => [item.address, item]))
  const news = new Map(after.map((item) => [item.address, item]))
  const addresses = [...new Set([...olds.keys(), ...news.keys()])].toSorted()
  return addresses.flatMap((address): StateChange[] => {
    const [was, is] = [olds.get(address), news.get(address)]
    const attributes = changedValues(was, is)
    if (was && is && attributes.length === 0) return []
    return [{ address, action: !was ? 'create' : is ? 'update' : 'destroy', attributes }]
  })
}

function changedValues(was: StateItem | undefined, is: StateItem | undefined): Attribute[] {
  const names = new Set([...(was?.values.keys() ?? []), ...(is?.values.keys() ?? [])])
  return [...names].flatMap((name): Attribute[] => {
    const [before, after] = [was?.values.get(name), is?.values.get(name)]
    if (before?.text === after?.text) return []
    return [attributeOf(name, before, after)]
  })
}

/** One that is sensitive on either side is masked on both. */
export function attributeOf(
  path: string,
  before: StateValue | undefined,
  after: StateValue | undefined,
): Attribute {
  const sensitive = (before?.sensitive ?? false) || (after?.sensitive ?? false)
  const side = (value: StateValue | undefined) =>
    sensitive && value !== undefined && value.shown !== null ? '••••' : (value?.shown ?? null)
  return {
    path,
    before: side(before),
    after: side(after),
    sensitive,
    unknown: false,
    forcesReplacement: false,
  }
}

const isObject = (value: unknown): value is Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const own = (value: unknown, key: string): unknown => (isObject(value) ? value[key] : undefined)

const listOf = (value: unknown): Values[] => (Array.isArray(value) ? value.filter(isObject) : [])
