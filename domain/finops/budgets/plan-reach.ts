import { isRecord, own } from '../../infrastructure/record.ts'
import { parsePlan, type ResourceChange } from '../../infrastructure/parse-plan.ts'
import { formatDecimal, parseDecimal } from '../decimal.ts'
import type { PricedPlan, PricedResource } from '../price-resources.ts'
import type { ReachQuestion } from './in-scope.ts'

/** What a plan changes in the scope of a budget. */
export type PlanReach = {
  budgetId: number
  /** Decimal text a month; null if a price is missing. */
  delta: string | null
}

/** Of each budget whose scope the plan reaches: by how much it changes the monthly cost there. */
export function planReach(
  planJson: unknown,
  priced: PricedPlan,
  questions: readonly ReachQuestion[],
): PlanReach[] {
  if (questions.length === 0) return []
  const changes = parsePlan(planJson)
    // In the order of the priced resources (price-resources.ts).
    .resourceChanges.filter(({ mode }) => mode === 'managed')
    .map((resource, at): Priced => ({ resource, price: priced.resources[at] }))
    .filter(({ resource }) => resource.change.kind !== 'no-op')
  return questions.flatMap((question) => {
    const sides = changes.map((change) => sidesIn(change, question))
    const deltas = changes.flatMap((change, at) => {
      const side = sides[at]
      return side && (side.before || side.after) ? [deltaOf(change, side, question.sum)] : []
    })
    if (deltas.length === 0) return []
    const known = deltas.filter((delta) => delta !== null)
    const delta = known.reduce((sum, one) => sum + one, 0n)
    return {
      budgetId: question.budgetId,
      delta: known.length === deltas.length ? formatDecimal(delta) : null,
    }
  })
}

type Priced = { resource: ResourceChange; price: PricedResource | undefined }

/** Whether the object is in the scope before the change, and after it: a change of its tags moves it. */
type Sides = { before: boolean; after: boolean }

function sidesIn({ resource, price }: Priced, { provider, tag, sum }: ReachQuestion): Sides {
  if (tag) return sidesTagged(resource.change, tag)
  const isIn =
    provider === undefined
      ? // Nothing that a bill has, as `terraform_data`, is in a scope of which that is not certain.
        sum === 'exact' || price?.priced !== 'free'
      : providerOf(resource.providerName) === provider
  return { before: isIn, after: isIn }
}

/** `registry.opentofu.org/hashicorp/google-beta` is `gcp`. */
function providerOf(providerName: string): string {
  const name = providerName.split('/').at(-1) ?? ''
  return clouds.find(([, own]) => own.test(name))?.[0] ?? name
}

const clouds: ReadonlyArray<[string, RegExp]> = [
  ['aws', /^aws(cc)?$/],
  ['azure', /^az(urerm|uread|api|urestack)$/],
  ['gcp', /^google(-beta)?$/],
  ['oci', /^oci$/],
]

const tagFields = [
  'tags_all',
  'tags',
  'tag',
  'effective_labels',
  'terraform_labels',
  'labels',
  'resource_labels',
  'user_labels',
]

type Tag = { keys: readonly string[]; value: string | null }

function sidesTagged({ before, after, afterUnknown }: ResourceChange['change'], tag: Tag): Sides {
  // Tags that are known only after the apply may be any.
  const isUnknown = tagFields.some((field) => {
    const unknown = own(afterUnknown, field)
    return unknown === true || tag.keys.some((key) => own(unknown, key) === true)
  })
  return { before: hasTag(before, tag), after: isUnknown || hasTag(after, tag) }
}

function hasTag(values: unknown, { keys, value }: Tag): boolean {
  if (!isRecord(values)) return false
  // Cloud SQL has its labels in its settings.
  const settings = own(values, 'settings')
  const places = [values, ...(Array.isArray(settings) ? settings.filter(isRecord) : [])]
  const maps = places.flatMap((place) => tagFields.map((field) => mapOf(own(place, field))))
  const found = maps.flatMap((map) => keys.map((key) => own(map, key)))
  const set = found.filter((one) => one !== undefined && one !== null)
  return value === null ? set.length === 0 : set.includes(value)
}

/** Tags as a map, or as a list of blocks with key and value, as an auto scaling group and the provider awscc have them. */
function mapOf(tags: unknown): Record<string, unknown> {
  if (isRecord(tags)) return tags
  if (!Array.isArray(tags)) return {}
  return Object.fromEntries(
    tags.filter(isRecord).map((tag) => [String(own(tag, 'key')), own(tag, 'value')]),
  )
}

// oxlint-disable-next-line max-params -- one change, which sides of it count, and how
function deltaOf(
  { resource: { change }, price }: Priced,
  sides: Sides,
  sum: ReachQuestion['sum'],
): bigint | null {
  // The object goes on to cost what it costs: only OpenTofu forgets it.
  if (change.kind === 'forget') return 0n
  const stays = change.kind === 'forget-create'
  const after = sides.after ? price?.after : '0'
  const before = sides.before && !stays ? price?.before : '0'
  if (after === null || after === undefined) return null
  const rise = parseDecimal(after)
  // Without the old price no saving can be counted. Where nothing is paid afterwards none is needed.
  if (before === null || before === undefined) return rise === 0n ? 0n : null
  const delta = rise - parseDecimal(before)
  return sum === 'rises' && delta < 0n ? 0n : delta
}
