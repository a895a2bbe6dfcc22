import { fieldWords } from '../words/field-words.ts'

const maxShown = 300
const maxItems = 4

/** Names that only machines read: ids, hashes, and addresses of requests. They are below "All fields". */
const ofMachines =
  /(^|[a-z])(Ids?|Sha256|Digest)$|^(id|digest|sha256|capability|fingerprint|certificates|sessionIds|userIds)$/

/** Fields whose value a person chose, so it is shown as it was written. */
const ofPeople: ReadonlySet<string> = new Set([
  'branch',
  'comment',
  'email',
  'file',
  'groupName',
  'key',
  'message',
  'name',
  'path',
  'paths',
  'provider',
  'repo',
  'resourceType',
  'scopeValue',
  'tagKey',
  'what',
])

/** The detail of an audit entry in words: what changed from what to what, without ids and hashes. */
export function detailWords(detail: unknown): string {
  if (typeof detail !== 'object' || detail === null) return ''
  return Object.entries(detail)
    .filter(([name, value]) => value !== null && !ofMachines.test(name))
    .map(([name, value]) => `${fieldWords(name)}: ${valueWords(name, value)}`)
    .join(' · ')
    .slice(0, maxShown)
}

function valueWords(name: string, value: unknown): string {
  if (value === null || value === undefined || value === '') return 'none'
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (typeof value === 'number') return value.toLocaleString('en')
  if (typeof value === 'string') return ofPeople.has(name) ? value : plainCode(value)
  if (Array.isArray(value)) return listWords(name, value)
  if (typeof value === 'object' && ('from' in value || 'to' in value)) {
    const { from, to } = value as { from?: unknown; to?: unknown }
    return `${valueWords(name, from)} → ${valueWords(name, to)}`
  }
  if (typeof value !== 'object') return ''
  const parts = Object.entries(value).filter(([inner]) => !ofMachines.test(inner))
  return parts.length === 0
    ? 'none'
    : parts.map(([inner, one]) => `${inner} ${valueWords(inner, one)}`).join(', ')
}

function listWords(name: string, values: readonly unknown[]): string {
  if (values.length === 0) return 'none'
  const more = values.length - maxItems
  const shown = values.slice(0, maxItems).map((value) => valueWords(name, value))
  return `${shown.join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}

/** A code such as `size_not_confirmed` as words. Any other text stays as it is. */
const plainCode = (value: string): string =>
  /^[a-z]+(_[a-z]+)+$/.test(value) ? value.replaceAll('_', ' ') : value
