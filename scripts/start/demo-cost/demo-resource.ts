import { createHash } from 'node:crypto'

export type DemoCloud = 'aws' | 'azure' | 'gcp'

/** How the days of a week differ: `office` stands still on weekends, `shop` has its customers then. */
export type WeekShape = 'flat' | 'office' | 'shop'

/** `env`: the tag of its resources; null where its team does not use it. */
export type DemoAccount = { id: string; name: string; env: string | null }

/** Where some resources are: account, region, prefix of the names, how many, dollars a day of all, team (null: untagged). */
type Placement = readonly [
  account: string,
  region: string,
  prefix: string,
  count: number,
  daily: number,
  team: string | null,
]

/** A part of a service, as a table of the demo has it. */
export type ServiceLine = {
  service: string
  category: string
  subcategory: string
  type: string
  meter: string
  unit: string
  /** Dollars a unit, before any discount. */
  unitPrice: number
  id: (place: { account: string; region: string; name: string }) => string | null
  at: readonly Placement[]
  week?: WeekShape
  /** By so much it grows in a year. */
  growth?: number
  /** The commitment that it uses. */
  commitment?: 'savings-plan' | 'reservation'
  /** Held by the workspace demo-shop. */
  isShop?: boolean
  /** It costs something from so many days before the demo's first day on. */
  beganDaysAgo?: number
}

export type DemoResource = Omit<ServiceLine, 'at' | 'id'> & {
  cloud: DemoCloud
  account: DemoAccount
  region: string
  /** Null: a cost of no resource, as transfer. */
  id: string | null
  name: string
  team: string | null
  /** Dollars on a usual day at the demo's first day. */
  daily: number
}

/** The resources of one cloud, always the same. */
export function makeResources(
  cloud: DemoCloud,
  accounts: Readonly<Record<string, DemoAccount>>,
  lines: readonly ServiceLine[],
): DemoResource[] {
  return lines.flatMap(({ at, id, ...line }) =>
    at.flatMap(([accountKey, region, prefix, count, daily, team]) => {
      const account = accounts[accountKey]
      if (!account) throw new Error(`the demo has no account ${accountKey}`)
      const names = Array.from({ length: count }, (_, n) =>
        count === 1 ? prefix : `${prefix}-${n}`,
      )
      // Of a large group some are younger than the year, and small: that they begin is no anomaly.
      const isYoung = (n: number) => count >= 8 && n % 6 === 5
      // Machines of one size cost the same.
      const isByHour = line.unit === 'Hours'
      const weights = names.map(
        (name, n) =>
          (isByHour ? 1 : 0.7 + 0.6 * chance(`${line.service} ${name}`)) * (isYoung(n) ? 0.3 : 1),
      )
      const all = weights.reduce((sum, weight) => sum + weight, 0)
      return names.map((name, n) => ({
        ...line,
        cloud,
        account,
        region,
        id: id({ account: account.id, region, name }),
        name,
        team,
        daily: (daily * (weights[n] ?? 0)) / all,
        ...(isByHour && { unitPrice: Number(((daily * (weights[n] ?? 0)) / all / 24).toFixed(4)) }),
        ...(isYoung(n) && { beganDaysAgo: 60 + 22 * n }),
      }))
    }),
  )
}

/** In [0, 1), always the same for one text: FNV-1a with a final mix. */
export function chance(text: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at += 1)
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 16), 0x45d9f3b)
  hash = Math.imul(hash ^ (hash >>> 13), 0x45d9f3b)
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32
}

/** Hexadecimal digits of an id that stands for a name. */
export const hexOf = (name: string, length: number): string =>
  createHash('sha256').update(name).digest('hex').slice(0, length)
