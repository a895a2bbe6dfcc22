import { dayAfter, daysBetween } from '../../domain/finops/anomalies/days.ts'
import type { AnomalyDays, DayCost, RunToJudge } from '../../domain/finops/anomalies/rank-causes.ts'
import type { Random } from './random.ts'

/** An anomaly of a made organization, the runs around it, and which of them raised the cost. */
export type CausedAnomaly = { days: AnomalyDays; runs: RunToJudge[]; causingRunId: number }

type Step = { from: string; amount: number }
type Resource = { level: number; noise: number; steps: Step[]; costs: Map<string, number> }
type MadeRun = Omit<RunToJudge, 'costs'> & { changed: readonly Resource[] }

const baselineDays = 14
/** A plan prices some resources, and some prices are far off. */
const pricedShare = 0.6
/** What scales by itself has ids that no state holds: only the plan tells of it. */
const unheldShare = 0.05

/**
 * Workspaces of one account and service with noisy cost and some runs each, of which one makes the anomaly by
 * what it creates or changes. The others change things without a cost or with a little; some of them change
 * the same resource, and some plans promise a rise that the bill has elsewhere.
 */
export function generateCause(random: Random): CausedAnomaly {
  const firstDay = dayAfter('2026-03-15', random.integer(0, 200))
  const lastDay = dayAfter(firstDay, random.integer(0, 6))
  const days = { baselineFrom: dayAfter(firstDay, -baselineDays), firstDay, lastDay }
  const workspaces = Array.from({ length: random.integer(2, 8) }, () =>
    Array.from({ length: random.integer(1, 8) }, () =>
      resourceOf(random.logUniform(0.5, 60), random.uniform(0.02, 0.2)),
    ),
  )
  const others = workspaces.flatMap((resources) =>
    Array.from({ length: random.integer(0, 3) }, () => otherRun(random, { days, resources })),
  )
  const own = workspaces[random.integer(0, workspaces.length - 1)] ?? []
  // An anomaly is told from 15 % of its service on.
  const total = workspaces.flat().reduce((sum, { level }) => sum + level, 0)
  const causing = causingRun(random, { days, own, excess: total * random.logUniform(0.2, 4) })
  const place = random.integer(0, others.length)
  const made = [...others.slice(0, place), causing, ...others.slice(place)]
  for (const resource of [...workspaces.flat(), ...causing.changed])
    addCosts(random, resource, days)
  const runs = made.map(({ changed, ...run }, n) => ({
    ...run,
    runId: n + 1,
    costs: sumOf(changed),
  }))
  return { days, runs, causingRunId: place + 1 }
}

const resourceOf = (level: number, noise: number): Resource => ({
  level,
  noise,
  steps: [],
  costs: new Map(),
})

/** The cost rises on the day of the apply, or on the next; a bill's first day can be a part of one. */
function causingRun(
  random: Random,
  { days, own, excess }: { days: AnomalyDays; own: readonly Resource[]; excess: number },
): MadeRun {
  const changes = random.chance(0.5)
  const caused = (changes && one(random, own)) || resourceOf(0, random.uniform(0.02, 0.1))
  caused.steps.push({ from: days.firstDay, amount: excess })
  const beside = random.integer(0, 2)
  const isHeld = !random.chance(unheldShare)
  return {
    runId: 0,
    appliedOn: dayAfter(days.firstDay, -Number(random.pick({ 0: 0.5, 1: 0.4, 2: 0.1 }))),
    predictedDelta: random.chance(pricedShare) ? excess * 30 * random.uniform(0.4, 1.3) : null,
    changed: isHeld ? [caused, ...some(random, own, beside)] : [],
  }
}

function otherRun(
  random: Random,
  { days, resources }: { days: AnomalyDays; resources: readonly Resource[] },
): MadeRun {
  const changed = some(random, resources, random.integer(0, 3))
  const appliedOn = dayAfter(
    days.firstDay,
    random.integer(-3, daysBetween(days.firstDay, days.lastDay)),
  )
  let delta = random.chance(0.1) ? random.logUniform(10, 2_000) : 0
  for (const resource of changed)
    if (random.chance(0.4)) {
      const amount = resource.level * random.uniform(-0.1, 0.1)
      resource.steps.push({ from: appliedOn, amount })
      delta += amount * 30
    }
  return {
    runId: 0,
    appliedOn,
    predictedDelta: random.chance(pricedShare) ? delta : null,
    changed,
  }
}

const one = (random: Random, resources: readonly Resource[]): Resource | undefined =>
  resources[random.integer(0, resources.length - 1)]

const some = (random: Random, resources: readonly Resource[], count: number): Resource[] => [
  ...new Set(Array.from({ length: count }, () => one(random, resources)).flatMap((r) => r ?? [])),
]

function addCosts(
  random: Random,
  { level, noise, steps, costs }: Resource,
  { baselineFrom, lastDay }: AnomalyDays,
): void {
  for (let day = baselineFrom; day <= lastDay; day = dayAfter(day, 1)) {
    const now = steps.reduce((sum, { from, amount }) => (day >= from ? sum + amount : sum), level)
    const amount = now * Math.max(0, 1 + noise * random.normal())
    if (amount > 0 && !costs.has(day)) costs.set(day, amount)
  }
}

function sumOf(resources: readonly Resource[]): DayCost[] {
  const sums = new Map<string, number>()
  for (const { costs } of resources)
    for (const [day, amount] of costs) sums.set(day, (sums.get(day) ?? 0) + amount)
  return [...sums].map(([day, amount]) => ({ day, amount }))
}
