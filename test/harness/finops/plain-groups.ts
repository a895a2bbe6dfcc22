import { decisiveAttributes, placeAttributes } from '../../../domain/finops/decisive-attributes.ts'
import { dayAfter } from '../../../domain/finops/anomalies/days.ts'
import type { BilledGroup } from '../../../domain/finops/learned-price.ts'
import type { TestCharge } from '../bills.ts'
import type { Holding, VariedResource } from './varied-bill.ts'

/** Of one slice of a resource's time: a span without a change, with the days between its parts of days. */
type Life = {
  holding: Holding
  isConfirmed: boolean
  region: string | null
  lo: string
  hi: string
  costs: DayCosts
}
/** By day; null where there is no rate. */
type DayCosts = Map<string, number | null>
type Rates = Record<string, number>

const daysBetween = (from: string, to: string): number =>
  Math.round((Date.parse(to) - Date.parse(from)) / 86_400_000)
const later = (...days: string[]): string => days.toSorted().at(-1) ?? ''
const earlier = (...days: string[]): string => days.toSorted()[0] ?? ''

/** The groups of `billedGroups` by plain loops over days, for a bill whose last day is `through`. */
export function plainGroups(
  resources: readonly VariedResource[],
  { through, rates }: { through: string; rates: Rates },
): BilledGroup[] {
  const groups = new Map<string, Life[]>()
  for (const resource of resources)
    for (const life of livesOf(resource, through, rates)) {
      const match = matchOf(life.holding)
      if (life.holding.type === 'terraform_data' && Object.keys(match).length === 0) continue
      const key = JSON.stringify([
        life.holding.type,
        Object.entries(match).toSorted(([a], [b]) => (a < b ? -1 : 1)),
        life.region,
      ])
      groups.set(key, [...(groups.get(key) ?? []), life])
    }
  return [...groups.values()].map((lives) => groupOf(lives, through))
}

function livesOf(resource: VariedResource, through: string, rates: Rates): Life[] {
  const { holdings, charges } = resource
  const windowFrom = dayAfter(through, -29)
  const days = charges.map(({ day }) => String(day)).toSorted()
  const [first, last] = [days[0], days.at(-1)]
  if (first === undefined || last === undefined) return []
  const place = charges[0]?.['region_id'] ?? null
  const region =
    place === null || place === 'global' ? null : place.toLowerCase().replaceAll(' ', '')
  return holdings.flatMap(spansOf).flatMap(({ holding, isConfirmed, from, until }): Life[] => {
    if (until !== undefined && until <= windowFrom) return []
    let lo = later(dayAfter(first, 1), windowFrom, dayAfter(from, 1))
    let hi = earlier(dayAfter(last, -1), through, ...(until ? [dayAfter(until, -1)] : []))
    const usage = charges.filter((charge) => isUsage(charge, lo, hi))
    if (usage.length === 0) return []
    const used = usage.map(({ day }) => String(day)).toSorted()
    if (used[0] !== lo) lo = dayAfter(used[0] ?? '', 1)
    if (used.at(-1) !== hi) hi = dayAfter(used.at(-1) ?? '', -1)
    return [{ holding, isConfirmed, region, lo, hi, costs: costsOf(usage, rates) }]
  })
}

type Span = { holding: Holding; isConfirmed: boolean; from: string; until: string | undefined }

/** Until it is confirmed, and since. */
function spansOf(holding: Holding, at: number, all: readonly Holding[]): Span[] {
  const { from, confirmed } = holding
  const until = all[at + 1]?.from
  const before = { holding, isConfirmed: false, from, until: confirmed ?? until }
  if (confirmed === null) return [before]
  const since = { holding, isConfirmed: true, from: confirmed, until }
  return confirmed > from ? [before, since] : [since]
}

const isUsage = (charge: TestCharge, lo: string, hi: string): boolean =>
  !charge['charge_class'] &&
  (charge['charge_category'] ?? 'Usage') === 'Usage' &&
  String(charge['day']) >= lo &&
  String(charge['day']) <= hi

function costsOf(charges: readonly TestCharge[], rates: Rates): DayCosts {
  const costs: DayCosts = new Map()
  for (const charge of charges) {
    const day = String(charge['day'])
    const rate = rates[`${charge['billing_currency']} ${day.slice(0, 7)}`]
    const before = costs.get(day)
    const cost = rate === undefined ? null : Number(charge['effective_cost']) * rate
    costs.set(day, before === null || cost === null ? null : (before ?? 0) + cost)
  }
  return costs
}

function matchOf({ type, attributes }: Holding): BilledGroup['match'] {
  const decisive = decisiveAttributes[type]
  const names = Object.keys(attributes).filter((name) =>
    decisive ? decisive.includes(name) : !placeAttributes.includes(name),
  )
  const prefix = type === 'terraform_data' ? 'input.' : ''
  return Object.fromEntries(names.map((name) => [prefix + name, attributes[name] ?? '']))
}

/** A month of the days from one to another; undefined if they are under three. */
function monthlyOf(life: Life, from: string, to: string): number | undefined {
  const [lo, hi] = [later(life.lo, from), earlier(life.hi, to)]
  const days = daysBetween(lo, hi) + 1
  if (days < 3) return undefined
  let sum = 0
  for (const [day, cost] of life.costs) if (day >= lo && day <= hi) sum += cost ?? 0
  return ((sum / days) * 365) / 12
}

function groupOf(lives: readonly Life[], through: string): BilledGroup {
  const lacksRate = (life: Life) => [...life.costs.values()].includes(null)
  const confirmed = lives.filter(({ isConfirmed }) => isConfirmed)
  const rated = confirmed.filter((life) => !lacksRate(life))
  const known = (values: Array<number | undefined>) =>
    values.filter((value) => value !== undefined).toSorted((a, b) => a - b)
  const all = known(rated.map((life) => monthlyOf(life, life.lo, life.hi)))
  const parts = known(
    [0, 1, 2, 3, 4].flatMap((part) =>
      rated.map((life) =>
        monthlyOf(life, dayAfter(through, -part * 6 - 5), dayAfter(through, -part * 6)),
      ),
    ),
  )
  const width = (values: number[]) =>
    values.length === 0 ? 0 : percentile(values, 0.9) - percentile(values, 0.1)
  const middle = all.length === 0 ? null : percentile(all, 0.5)
  const dated = confirmed.length > 0 ? confirmed : lives
  const [from, to] = [earlier(...dated.map(({ lo }) => lo)), later(...dated.map(({ hi }) => hi))]
  const [life] = lives
  if (!life) throw new Error('a group has a life')
  const { holding, region } = life
  return {
    provider: holding.type.split('_')[0] ?? '',
    resourceType: holding.type,
    match: matchOf(holding),
    region,
    sampleSize: all.length,
    monthlyPrice: middle === null ? null : Number(middle.toPrecision(15)).toFixed(6),
    spread:
      middle === null || middle <= 0
        ? null
        : Number((Math.max(width(all), width(parts)) / middle).toFixed(4)),
    lacksRate: lives.some((one) => lacksRate(one)),
    isUnconfirmed: confirmed.length === 0,
    hasUnconfirmed: confirmed.length < lives.length,
    from,
    to: later(from, to),
  }
}

/** As `percentile_cont` of PostgreSQL. */
function percentile(sorted: readonly number[], share: number): number {
  const at = share * (sorted.length - 1)
  const [low, high] = [sorted[Math.floor(at)] ?? 0, sorted[Math.ceil(at)] ?? 0]
  return low + (at - Math.floor(at)) * (high - low)
}
