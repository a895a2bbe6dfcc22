import { createHash, hash } from 'node:crypto'
import { collectHeld, type StateObject } from '../clouds/held-resources.ts'
import { invalid } from '../errors.ts'
import { cutText } from '../infrastructure/cut-text.ts'
import { isDeeperThan } from '../infrastructure/is-deeper-than.ts'
import { packRows, packTexts, type PackedRows } from '../infrastructure/pack-rows.ts'
import { maxSearchWork, searchPatterns } from '../secrets/search-patterns.ts'
import { createSecretSearch, type SecretSearch } from '../secrets/secret-search.ts'
import { parseState, type StateDocument } from './state-document.ts'
import { stateMarks } from './state-marks.ts'
import { stateSecrets } from './state-secrets.ts'
import { withSerial } from './with-serial.ts'

/**
 * Splits a state for storage: its header, its bytes in pieces, and the rows that readers ask for, each of
 * bounded size. Linear in the state, and not recursive in its nesting.
 */
export function splitState(sent: Buffer, options: SplitOptions = {}): SplitState {
  const { serial, lineage } = options
  const body = serial === undefined ? sent : Buffer.from(withSerial(decode(sent), serial, lineage))
  const marks = { ...marksOf(body), ...noRows }
  let document: StateDocument
  try {
    document = parseState(decode(body))
  } catch (error) {
    if (!options.keepUnreadable) throw error
    return { header: { ...marks, ...stateMarks(body) }, held: noneHeld, parts: piecesOf(body) }
  }
  assertMarks(document, options)
  const marked = stateSecrets(document)
  const maxBytes = options.maxResourceBytes ?? maxResourceBytes
  const known = searchHeld(marked, options)
  const held = collectHeld(known, maxBytes)
  const resources = resourceRows(document, { maxBytes, visit: held.add })
  const outputs = outputRows(document, createSecretSearch(marked, { maxWork: anyWork }))
  const { rows, ...heldMark } = held.result()
  return {
    header: {
      ...marks,
      lineage: document.lineage,
      serial: document.serial,
      managedResources: resources.managed,
      omittedResources: resources.omitted,
      omittedOutputs: outputs.omitted,
    },
    held: heldMark,
    parts: (function* () {
      yield* piecesOf(body)
      yield* batchesOf('resource', resources.rows)
      yield* batchesOf('output', outputs.rows)
      // Last, so that who knows the set by its digest can stop reading before it.
      yield* packed('held', packTexts(rows(), batchBytes))
    })(),
  }
}

/** Those that a state marks are bounded (state-secrets.ts), and prepared for a write alone. */
const anyWork = Number.POSITIVE_INFINITY

function searchHeld(
  marked: readonly string[],
  { secrets = [], secretsIncomplete = false }: SplitOptions,
): SecretSearch {
  const fits = searchPatterns(secrets, { maxWork: maxSearchWork }) !== undefined
  const isIncomplete = secretsIncomplete || !fits
  return createSecretSearch([...marked, ...secrets], { isIncomplete, maxWork: anyWork })
}

export type SplitOptions = {
  /** Replaces the state's own serial. */
  serial?: number
  /** With a serial: replaces the lineage too. */
  lineage?: string
  /** Keeps a body that is no state: it is the only trace of an apply that could not save. */
  keepUnreadable?: boolean
  /** What the rows of resources take together. */
  maxResourceBytes?: number
  /** Further values that no row of a held resource may contain. */
  secrets?: readonly string[]
  /** There are more than these, so no row of a held resource is kept. */
  secretsIncomplete?: boolean
}

export type SplitState = { header: StateHeader; held: HeldMark; parts: Iterable<StatePart> }

/** The set of cloud resources that the state holds (domain/clouds/held-resources.ts). */
export type HeldMark = {
  sha256: string
  /** Those beyond the rows that are kept. */
  omitted: number
}

const noneHeld: HeldMark = { sha256: hash('sha256', ''), omitted: 0 }

export type StateHeader = {
  lineage: string
  serial: number
  sizeBytes: number
  bodySha256: string
  /** In base64, as the header Content-MD5 has it. */
  bodyMd5: string
  /** Managed resources; data sources are only read. */
  managedResources: number
  /** Resources and outputs beyond the number of rows that are kept. */
  omittedResources: number
  omittedOutputs: number
}

/**
 * `piece`: some of the body's bytes. The others: rows as a JSON list, `held` those of the cloud resources
 * in the order of their keys. Each kind is numbered from 1 without a gap.
 */
export type StatePart = {
  kind: 'piece' | 'resource' | 'output' | 'held'
  firstSeq: number
  lastSeq: number
  bytes: Buffer
}

export type StateResource = {
  address: string
  mode: 'managed' | 'data'
  type: string
  name: string
  module: string | null
  provider: string
}

export type StateOutput = {
  name: string
  type: unknown
  value: unknown
  sensitive: boolean
  /** What every member may see, if it differs: values that the state marks as sensitive are masked. */
  public?: { type: unknown; value: unknown }
  /** Why type and value are not kept. */
  omitted?: 'too_large' | 'too_deep'
}

/** A piece and a batch each fit into one frame between processes (gateways/runner/frames.ts). */
const pieceBytes = 256 * 1_024
const batchBytes = pieceBytes - 64
const maxResources = 50_000
const maxOutputs = 5_000
const maxResourceBytes = 16 * 1_048_576
const maxOutputBytes = 4 * 1_048_576
export const maxOutputValueBytes = 64 * 1_024
const maxOutputLevels = 100

/** Refuses a field whose name has escapes (`seri\u0061l`): readers would see it, and it would not be replaced. */
function assertMarks(document: StateDocument, { serial, lineage }: SplitOptions): void {
  if ((serial ?? document.serial) === document.serial)
    if ((lineage ?? document.lineage) === document.lineage) return
  throw invalid(
    'The state writes its serial or its lineage in a form that OpenTofu does not write, so it cannot be stored under another. Correct its text and push it.',
    undefined,
    'invalid_state',
  )
}

const noRows = { managedResources: 0, omittedResources: 0, omittedOutputs: 0 }

const marksOf = (body: Buffer) => ({
  sizeBytes: body.length,
  bodySha256: createHash('sha256').update(body).digest('hex'),
  bodyMd5: createHash('md5').update(body).digest('base64'),
})

function decode(body: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body)
  } catch {
    throw invalid('The state is not UTF-8.', undefined, 'invalid_state')
  }
}

function* piecesOf(body: Buffer): Generator<StatePart> {
  for (let at = 0, seq = 1; at < body.length; at += pieceBytes, seq += 1)
    yield {
      kind: 'piece',
      firstSeq: seq,
      lastSeq: seq,
      bytes: body.subarray(at, at + pieceBytes),
    }
}

function* batchesOf(kind: 'resource' | 'output', rows: Iterable<unknown>): Generator<StatePart> {
  yield* packed(kind, packRows(rows, batchBytes))
}

function* packed(kind: StatePart['kind'], batches: Iterable<PackedRows>): Generator<StatePart> {
  for (const { json, ...seqs } of batches) yield { kind, ...seqs, bytes: Buffer.from(json) }
}

/** `visit` gets each managed object. */
function resourceRows(
  state: StateDocument,
  { maxBytes, visit }: { maxBytes: number; visit: (object: StateObject) => void },
): { rows: StateResource[]; managed: number; omitted: number } {
  const rows: StateResource[] = []
  let [managed, all, bytes] = [0, 0, 0]
  for (const resource of state.resources) {
    const own = fieldsOf(resource)
    const { instances } = own
    if (!Array.isArray(instances)) continue
    const base = baseOf(own)
    all += instances.length
    if (base.mode === 'managed') managed += instances.length
    for (const instance of instances as unknown[]) {
      if (rows.length >= maxResources || bytes >= maxBytes) break
      const row = { address: addressOf(base, instance), ...base }
      if (base.mode === 'managed') visit({ address: row.address, type: base.type, instance })
      bytes += Buffer.byteLength(JSON.stringify(row))
      rows.push(row)
    }
  }
  const sorted = rows.toSorted((a, b) => compareAddresses(a.address, b.address))
  return { rows: sorted, managed, omitted: all - rows.length }
}

function baseOf({ module, mode, type, name, provider }: Record<string, unknown>) {
  return {
    mode: mode === 'data' ? ('data' as const) : ('managed' as const),
    type: textOf(type),
    name: textOf(name),
    module: typeof module === 'string' && module !== '' ? cutText(module) : null,
    provider: textOf(provider),
  }
}

function addressOf(base: ReturnType<typeof baseOf>, instance: unknown): string {
  const { index_key: key, deposed } = fieldsOf(instance)
  const parts = [base.module, base.mode === 'data' ? 'data' : null, base.type, base.name]
  const text = typeof key === 'string' ? JSON.stringify(cutText(key)) : key
  // OpenTofu uses texts and numbers alone; anything else could be nested without limit.
  const index = typeof text === 'string' || typeof text === 'number' ? `[${text}]` : ''
  const rest = typeof deposed === 'string' ? ` (deposed ${cutText(deposed, 100)})` : ''
  return `${parts.filter((part) => part !== null).join('.')}${index}${rest}`
}

function outputRows(
  state: StateDocument,
  search: SecretSearch,
): { rows: StateOutput[]; omitted: number } {
  const { outputs } = state
  const names = Object.keys(outputs).toSorted()
  let room = maxOutputBytes
  const rows = names.slice(0, maxOutputs).map((name): StateOutput => {
    const { type = null, value = null, sensitive: mark } = fieldsOf(outputs[name])
    // Only a plain "no" shows it: an unknown mark counts as sensitive.
    const sensitive = mark !== undefined && mark !== false
    const omitted = whyOmitted({ type, value }, Math.min(room, maxOutputValueBytes))
    const row = { name: cutText(name), sensitive }
    if (typeof omitted === 'string') return { ...row, type: null, value: null, omitted }
    room -= omitted
    // The type of an object contains its keys.
    const shown = { type: search.coverAll(type), value: search.coverAll(value) }
    const same = sensitive || JSON.stringify(shown) === JSON.stringify({ type, value })
    return { ...row, type, value, ...(!same && { public: shown }) }
  })
  return { rows, omitted: names.length - rows.length }
}

/** The bytes that the output takes, or why it is not kept. */
function whyOmitted(output: object, room: number): number | NonNullable<StateOutput['omitted']> {
  if (isDeeperThan(output, maxOutputLevels)) return 'too_deep'
  const bytes = Buffer.byteLength(JSON.stringify(output))
  return bytes > room ? 'too_large' : bytes
}

const textOf = (value: unknown): string => (typeof value === 'string' ? cutText(value) : '')

const fieldsOf = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {}

const collator = new Intl.Collator('en', { numeric: true })

/** Natural order: `r2` before `r10`. Addresses are unique, so a page has a definite place. */
export const compareAddresses = (a: string, b: string): number =>
  collator.compare(a, b) || (a < b ? -1 : a > b ? 1 : 0)
