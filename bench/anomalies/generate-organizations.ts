import { scoredDays, type EventLabel } from './generate-events.ts'
import { drawDates, oneSeries, type LabelledSeries } from './generate-series.ts'
import { Random } from './random.ts'

/** A made organization: services whose cost has tags, and rises that no service shows by itself. */
export type MadeOrganization = {
  firstDay: string
  /** The index of the first day that counts. */
  scoredFrom: number
  services: MadeService[]
  /** The values of one key; what has none of them is untagged. */
  tags: string[]
  /** Rises of all services, or of all that has a tag. */
  spread: SpreadRise[]
}

export type MadeService = {
  /** Of which source it is: the second one begins later. */
  source: 0 | 1
  /** By tag, and untagged: amounts by day, without the partial last one. */
  parts: Map<string | null, number[]>
  events: Array<Pick<EventLabel, 'start' | 'until'> & { tag: string | null }>
}

export type SpreadRise = { tag: string | null; start: number; until: number }

const names = ['web', 'data', 'shop', 'search', 'platform']
/** A rise of all services counts as found so many days after its start. */
const spreadWindow = 6

export function generateOrganizations(seed: number, count: number): MadeOrganization[] {
  const random = new Random(seed)
  return Array.from({ length: count }, () => oneOrganization(random))
}

function oneOrganization(random: Random): MadeOrganization {
  const dates = drawDates(random)
  const services = Array.from({ length: random.integer(5, 20) }, () =>
    serviceOf(random, oneSeries(random, dates), 0),
  )
  const made = { firstDay: dates.firstDay, scoredFrom: dates.warmUp, services, tags: names }
  if (random.chance(0.3)) moveTags(random, made)
  const spread = random.chance(0.5) ? [addSpread(random, made)] : []
  if (random.chance(0.2)) addSource(random, made, dates)
  return { ...made, spread }
}

type Made = Omit<MadeOrganization, 'spread'>

/** Each service is of one to three teams, and a part of it has no tag. An event is of one of them, or of all. */
function serviceOf(random: Random, series: LabelledSeries, source: 0 | 1): MadeService {
  const tags = [null, ...Array.from({ length: random.integer(1, 3) }, () => nameOf(random))]
  const weights = new Map(tags.map((tag) => [tag, random.uniform(0.1, 1)]))
  const all = [...weights.values()].reduce((sum, weight) => sum + weight, 0)
  const owner = random.chance(0.7) ? (tags[random.integer(0, tags.length - 1)] ?? null) : undefined
  const { amounts, withoutEvents, events } = series
  const parts = new Map(
    [...weights].map(([tag, weight]) => [
      tag,
      amounts.slice(0, -1).map((amount, at) => {
        const base = Math.min(amount, withoutEvents[at] ?? 0)
        const share = owner === undefined ? weight / all : tag === owner ? 1 : 0
        return (base * weight) / all + (amount - base) * share
      }),
    ]),
  )
  const labels = events.flatMap(({ start, until }) =>
    (owner === undefined ? [...weights.keys()] : [owner]).map((tag) => ({ start, until, tag })),
  )
  return { source, parts, events: labels }
}

const nameOf = (random: Random): string => names[random.integer(0, names.length - 1)] ?? ''

/** Somebody tags what had no tag, or another team takes what one had: no bill changes. */
function moveTags(random: Random, { services, scoredFrom }: Made): void {
  const start = scoredFrom + random.integer(0, scoredDays - 20)
  const [from, to] = [random.chance(0.6) ? null : nameOf(random), nameOf(random)]
  const share = random.uniform(0.3, 1)
  if (from === to) return
  for (const { parts } of services) {
    const lost = parts.get(from)
    if (!lost || !random.chance(0.8)) continue
    const won = parts.get(to) ?? lost.map(() => 0)
    for (let at = start; at < lost.length; at += 1) {
      const moved = (lost[at] ?? 0) * share
      lost[at] = (lost[at] ?? 0) - moved
      won[at] = (won[at] ?? 0) + moved
    }
    parts.set(to, won)
  }
}

/** All services, or all that has a tag, cost more for some days: traffic, a release, a mistake in a shared module. */
function addSpread(random: Random, { services, scoredFrom }: Made): SpreadRise {
  const start = scoredFrom + random.integer(1, scoredDays - 20)
  const tag = random.chance(0.5) ? nameOf(random) : null
  const factor = random.uniform(1.25, 2)
  const days = random.integer(2, 10)
  for (const { parts } of services)
    for (const [of, amounts] of parts) {
      if (tag !== null && of !== tag) continue
      for (let at = start; at < Math.min(start + days, amounts.length); at += 1)
        amounts[at] = (amounts[at] ?? 0) * factor
    }
  return { tag, start, until: start + spreadWindow }
}

/** A second account whose bill begins on some day: all of its cost is new, and none of it is a rise. */
function addSource(
  random: Random,
  { services, scoredFrom }: Made,
  dates: ReturnType<typeof drawDates>,
) {
  const start = scoredFrom + random.integer(-20, scoredDays - 40)
  for (let n = random.integer(2, 8); n > 0; n -= 1) {
    const service = serviceOf(random, oneSeries(random, dates), 1)
    for (const amounts of service.parts.values()) amounts.fill(0, 0, start)
    const events = service.events.filter((event) => event.start > start + 14)
    services.push({ ...service, events })
  }
}
