import { appendStep, type PathStep } from './attribute-path.ts'
import { cutSides } from './cut-sides.ts'
import { cutText, maxTextLength } from './cut-text.ts'
import type { KnownSecrets } from './known-secrets.ts'
import type { Change } from './parse-plan.ts'
import { isRecord, own } from './record.ts'

/**
 * The differing attributes of a change, one entry per leaf, without sensitive values. Those that do not
 * fit are counted. The time is linear in the size of the change.
 */
export function diffAttributes(change: Change, secrets: KnownSecrets, room: Room): AttributeDiff {
  const diff: AttributeDiff = { attributes: [], omitted: 0, bytes: 0, longBytes: 0 }
  const wholes: PresentedAttribute[] = []
  const visit = (at: Place): void => {
    const { before, after, unknown } = at.sides
    const sensitive = at.sides.beforeSensitive === true || at.sides.afterSensitive === true
    const forces = at.replacing?.ends ?? false
    if (!sensitive && unknown !== true && !forces && at.depth < maxDepth) {
      const keys = childKeys(at.sides)
      if (keys) return keys.forEach((key) => visit(childOf(at, { key, secrets })))
    }
    if (unknown !== true && !forces && sameValue(before, after)) return
    if (diff.omitted > 0 || diff.attributes.length >= room.attributes) diff.omitted += 1
    else
      addTo(diff, wholes, { whole: presentAttribute({ ...at, sensitive, forces, secrets }), room })
  }
  const { before, after, beforeSensitive, afterSensitive } = change
  visit({
    sides: { before, after, beforeSensitive, afterSensitive, unknown: change.afterUnknown },
    path: '',
    depth: 0,
    replacing: replaceTree(change.replacePaths),
  })
  lengthen(diff, wholes, room)
  return diff
}

/** The limits of what is presented of a change. `longBytes` is what cut values may take beyond their first part. */
export type Room = { attributes: number; bytes: number; longBytes: number }

export type AttributeDiff = {
  attributes: PresentedAttribute[]
  /** How many further attributes differ. */
  omitted: number
  /** What the attributes take as JSON, without what longer values take. */
  bytes: number
  longBytes: number
}

export type PresentedAttribute = {
  path: string
  before: string | number | boolean | null
  after: string | number | boolean | null
  sensitive: boolean
  unknown: boolean
  forcesReplacement?: true
  /** A side is longer than what is kept of it. */
  cut?: true
}

const sensitiveText = '(sensitive value)'
const unknownText = '(known after apply)'

const maxDepth = 8

type Sides = {
  before: unknown
  after: unknown
  unknown: unknown
  beforeSensitive: unknown
  afterSensitive: unknown
}

type Place = { sides: Sides; path: string; depth: number; replacing: ReplaceTree | undefined }

type Added = { whole: PresentedAttribute; room: Room }

function addTo(diff: AttributeDiff, wholes: PresentedAttribute[], { whole, room }: Added): void {
  const attribute = cutTo(whole, maxTextLength)
  const bytes = bytesOf(attribute)
  if (diff.bytes + bytes > room.bytes) {
    diff.omitted += 1
    return
  }
  diff.bytes += bytes
  diff.attributes.push(attribute)
  wholes.push(whole)
}

/** What is left of the room goes to values that were cut, in their order: no attribute is left out for them. */
function lengthen(diff: AttributeDiff, wholes: readonly PresentedAttribute[], room: Room): void {
  for (const [at, short] of diff.attributes.entries()) {
    const whole = wholes[at]
    if (!short.cut || !whole) continue
    const long = cutTo(whole, maxLongLength)
    const longBytes = diff.longBytes + bytesOf(long) - bytesOf(short)
    if (longBytes > room.longBytes || diff.bytes + longBytes > room.bytes) continue
    diff.longBytes = longBytes
    diff.attributes[at] = long
  }
}

/** Most policies and scripts are shorter. */
const maxLongLength = 16_000

const bytesOf = (attribute: PresentedAttribute) => Buffer.byteLength(JSON.stringify(attribute)) + 1

function cutTo(whole: PresentedAttribute, maxLength: number): PresentedAttribute {
  const { cut, ...sides } = cutSides(whole.before, whole.after, maxLength)
  return { ...whole, ...sides, ...(cut && { cut }) }
}

type Leaf = Place & { sensitive: boolean; forces: boolean; secrets: KnownSecrets }

/** With its whole values, which are cut later. */
function presentAttribute({ sides, path, sensitive, forces, secrets }: Leaf): PresentedAttribute {
  const { before, after, unknown, beforeSensitive, afterSensitive } = sides
  const show = (value: unknown, marks: unknown) => presentValue({ value, marks, secrets })
  const hidden = sensitive || secrets.has(before) || secrets.has(after)
  return {
    path,
    before: hidden ? mask(before) : show(before, beforeSensitive),
    after: unknown === true ? unknownText : hidden ? mask(after) : show(after, afterSensitive),
    sensitive: hidden,
    unknown: unknown === true,
    ...(forces ? { forcesReplacement: true } : {}),
  }
}

/** The paths that force a replacement, as a tree by their steps. */
type ReplaceTree = { ends: boolean; below: Map<unknown, ReplaceTree> }

function replaceTree(paths: readonly unknown[]): ReplaceTree {
  const root: ReplaceTree = { ends: false, below: new Map() }
  for (const path of paths) {
    if (!Array.isArray(path) || path.length > maxDepth) continue
    let node = root
    for (const step of path as unknown[]) {
      const next = node.below.get(step) ?? { ends: false, below: new Map() }
      node.below.set(step, next)
      node = next
    }
    node.ends = true
  }
  return root
}

/** The key of a map can be a secret; what could be an attribute's name stays. */
const coverStep = (step: PathStep, secrets: KnownSecrets) =>
  typeof step === 'number' || /^[a-z_][a-z0-9_]*$/.test(step)
    ? step
    : secrets.cover(step, () => sensitiveText)

const mask = (value: unknown) => (value === null || value === undefined ? null : sensitiveText)

function childOf(
  { sides, path, depth, replacing }: Place,
  { key, secrets }: { key: PathStep; secrets: KnownSecrets },
): Place {
  return {
    sides: {
      before: own(sides.before, key),
      after: own(sides.after, key),
      unknown: own(sides.unknown, key),
      beforeSensitive: own(sides.beforeSensitive, key),
      afterSensitive: own(sides.afterSensitive, key),
    },
    // A path that is already cut is not extended: below a key of a megabyte, each of thousands of leaves
    // would copy the megabyte.
    path: path.length > maxTextLength ? path : cutText(appendStep(path, coverStep(key, secrets))),
    depth: depth + 1,
    replacing: replacing?.below.get(key),
  }
}

/** The keys to descend into, if both sides have one shape, or only one side exists. */
function childKeys({ before, after, unknown }: Sides): PathStep[] | undefined {
  const sides = [before, after, unknown].filter((side) => typeof side === 'object' && side !== null)
  const first = sides[0]
  if (!first || [before, after].some((side) => isScalar(side))) return undefined
  if (sides.every(Array.isArray)) {
    const length = Math.max(...sides.map((side) => side.length))
    return length > 0 ? [...Array.from({ length }).keys()] : undefined
  }
  if (!sides.every(isRecord)) return undefined
  const keys = [...new Set(sides.flatMap((side) => Object.keys(side)))]
  return keys.length > 0 ? keys : undefined
}

const isScalar = (value: unknown) =>
  value !== null && value !== undefined && typeof value !== 'object'

const sameValue = (a: unknown, b: unknown) =>
  a === b || JSON.stringify(a ?? null) === JSON.stringify(b ?? null)

type Presented = { value: unknown; marks?: unknown; secrets: KnownSecrets }

/** A record or a list as JSON, with the known secrets in it replaced. */
export function presentValue({ value, marks, secrets }: Presented): PresentedAttribute['before'] {
  if (value === null || value === undefined) return null
  if (typeof value === 'number' || typeof value === 'boolean') return value
  const covered = maskInside({ value, marks, secrets })
  return typeof covered === 'string' ? covered : JSON.stringify(covered)
}

/** Below the maximal depth a value is shown as one text, with its marks applied. */
function maskInside({ value, marks, secrets }: Presented): unknown {
  if (marks === true || secrets.has(value)) return mask(value)
  if (typeof value === 'string') return secrets.cover(value, () => sensitiveText)
  if (Array.isArray(value))
    return value.map((item: unknown, at) =>
      maskInside({ value: item, marks: own(marks, at), secrets }),
    )
  if (!isRecord(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      key,
      maskInside({ value: item, marks: own(marks, key), secrets }),
    ]),
  )
}
