import { formatPath, type PathStep } from './attribute-path.ts'
import type { KnownSecrets } from './known-secrets.ts'
import type { Change } from './parse-plan.ts'
import { isRecord, own } from './record.ts'

/** What differs between the two sides of a change, one entry a leaf, without sensitive values. */
export function diffAttributes(change: Change, secrets: KnownSecrets): PresentedAttribute[] {
  const attributes: PresentedAttribute[] = []
  const replacing = new Set(change.replacePaths.map((path) => JSON.stringify(path)))
  const visit = (sides: Sides, path: PathStep[]): void => {
    const { before, after, unknown } = sides
    const sensitive = sides.beforeSensitive === true || sides.afterSensitive === true
    const forces = replacing.has(JSON.stringify(path))
    if (!sensitive && unknown !== true && !forces && path.length < maxDepth) {
      const keys = childKeys(sides)
      if (keys) return keys.forEach((key) => visit(childOf(sides, key), [...path, key]))
    }
    if (unknown !== true && !forces && sameValue(before, after)) return
    const show = (value: unknown, marks: unknown) => presentValue({ value, marks, secrets })
    const hidden = sensitive || secrets.has(before) || secrets.has(after)
    attributes.push({
      path: formatPath(path.map((step) => coverStep(step, secrets))),
      before: hidden ? mask(before) : show(before, sides.beforeSensitive),
      after:
        unknown === true ? unknownText : hidden ? mask(after) : show(after, sides.afterSensitive),
      sensitive: hidden,
      unknown: unknown === true,
      ...(forces ? { forcesReplacement: true } : {}),
    })
  }
  const { before, after, beforeSensitive, afterSensitive } = change
  visit({ before, after, beforeSensitive, afterSensitive, unknown: change.afterUnknown }, [])
  return attributes
}

export type PresentedAttribute = {
  path: string
  before: string | number | boolean | null
  after: string | number | boolean | null
  sensitive: boolean
  unknown: boolean
  forcesReplacement?: true
}

export const sensitiveText = '(sensitive value)'
export const unknownText = '(known after apply)'

const maxDepth = 8
const maxTextLength = 1_000

type Sides = {
  before: unknown
  after: unknown
  unknown: unknown
  beforeSensitive: unknown
  afterSensitive: unknown
}

/** As in redactPlan: a map's key can be a secret, an attribute's name is let be. */
const coverStep = (step: PathStep, secrets: KnownSecrets) =>
  typeof step === 'number' || /^[a-z_][a-z0-9_]*$/.test(step)
    ? step
    : secrets.cover(step, () => sensitiveText)

const mask = (value: unknown) => (value === null || value === undefined ? null : sensitiveText)

const childOf = (sides: Sides, key: PathStep): Sides => ({
  before: own(sides.before, key),
  after: own(sides.after, key),
  unknown: own(sides.unknown, key),
  beforeSensitive: own(sides.beforeSensitive, key),
  afterSensitive: own(sides.afterSensitive, key),
})

/** The steps below, when what is there can be walked: both sides of one shape, or one of them. */
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

type Presented = { value: unknown; marks: unknown; secrets: KnownSecrets }

function presentValue({ value, marks, secrets }: Presented): PresentedAttribute['before'] {
  if (value === null || value === undefined) return null
  if (typeof value === 'number' || typeof value === 'boolean') return value
  const covered = maskInside({ value, marks, secrets })
  const text = typeof covered === 'string' ? covered : JSON.stringify(covered)
  const cut = text.length > maxTextLength ? `${text.slice(0, maxTextLength)}…` : text
  // Postgres takes neither of the two in a jsonb.
  return cut.toWellFormed().replaceAll('\0', '\uFFFD')
}

/** Below the depth that is walked a value is shown as one text, and its marks still hold. */
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
