import { dayAfter } from '../../../domain/finops/anomalies/days.ts'
import type { TestCharge } from '../bills.ts'
import type { TestHeld } from './held-resources.ts'

/** What one workspace holds of a resource from a day on. */
export type Holding = {
  from: string
  workspace: 0 | 1
  type: string
  attributes: Attributes
  /** The day of the apply that confirmed it, before the next one begins; null if none did. */
  confirmed: string | null
}
type Attributes = NonNullable<TestHeld['attributes']>
export type VariedResource = { cloudId: string; holdings: Holding[]; charges: TestCharge[] }

/** The same series each time, from 0 to 1. */
export function seededRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31
    return state / 2 ** 31
  }
}

type Kind = { type: string; arn: string; sizes: Attributes[]; service?: string; provider?: string }
const kinds: Kind[] = [
  {
    type: 'aws_instance',
    arn: 'arn:aws:ec2:REGION:123456789012:instance/i-ID',
    sizes: [
      { instance_type: 'm5.large', ebs_optimized: true },
      { instance_type: 'm5.large', ebs_optimized: false, tenancy: 'default' },
      { instance_type: 'c6i.4xlarge' },
    ],
  },
  {
    type: 'aws_ebs_volume',
    arn: 'arn:aws:ec2:REGION:123456789012:volume/vol-ID',
    sizes: [
      { type: 'gp3', size: 200, iops: 3000 },
      { type: 'gp3', size: 300 },
    ],
  },
  { type: 'aws_s3_bucket', arn: 'arn:aws:s3:::b-ID', sizes: [{}], service: 'Amazon S3' },
  { type: 'aws_sfn_state_machine', arn: 'arn:aws:states:REGION:1:stateMachine:ID', sizes: [{}] },
  {
    type: 'azurerm_linux_virtual_machine',
    arn: '/subscriptions/0000/resourcegroups/rg/providers/microsoft.compute/virtualmachines/ID',
    sizes: [{ size: 'Standard_D4s_v5', location: 'westeurope' }, { size: 'Standard_B2s' }],
    provider: 'azure',
  },
  {
    type: 'google_compute_instance',
    arn: '//compute.googleapis.com/projects/p/zones/z/instances/ID',
    sizes: [{ machine_type: 'n2-standard-8', zone: 'europe-west1-b' }],
    provider: 'gcp',
  },
  {
    type: 'terraform_data',
    arn: 'arn:aws:rds:REGION:1:db:ID',
    sizes: [{ instance_type: 'db.r6g.large' }, { region: 'eu-west-1' }],
  },
]
const regions = ['eu-west-1', 'us-east-1', 'global', null]
/** Without a region in their ids, so that the bill may call it otherwise. */
const otherRegions = ['EU West 1', 'euwest1', null]

/** Resources of many kinds with two months of bills: they begin, end, grow, move, and cost what is not usage. */
export function variedBill(seed: number, resources: number): VariedResource[] {
  const next = seededRandom(seed)
  const pick = <T>(list: readonly T[]): T => list[Math.floor(next() * list.length)] as T
  return Array.from({ length: resources }, (_, n): VariedResource => {
    const kind = pick(kinds)
    const region = pick(kind.provider ? otherRegions : regions)
    const id = `${n.toString(16).padStart(4, '0')}abcdef01`
    const cloudId = kind.arn
      .replace('ID', id)
      .replace('REGION', region === 'us-east-1' ? region : 'eu-west-1')
    const at = { kind, region, next, pick }
    return { cloudId, holdings: holdingsOf(at), charges: chargesOf(cloudId, at) }
  })
}

type At = {
  kind: Kind
  region: string | null
  next: () => number
  pick: <T>(list: readonly T[]) => T
}

const february = '2026-02-01'
/** The 20th of March. */
const lastDay = 47

function holdingsOf({ kind, next, pick }: At): Holding[] {
  const changes = [0, 0, 0, 1, 2][Math.floor(next() * 5)] ?? 0
  const days = Array.from({ length: changes + 1 }, () => Math.floor(next() * 45)).toSorted(
    (a, b) => a - b,
  )
  return [...new Set(days)].map((day, at, all) => ({
    from: dayAfter(february, day),
    workspace: next() < 0.8 ? 0 : 1,
    type: kind.type,
    attributes: pick(kind.sizes),
    confirmed: confirmedBetween(day, all[at + 1] ?? lastDay, next),
  }))
}

function confirmedBetween(from: number, until: number, next: () => number): string | null {
  const chance = next()
  if (chance < 0.1) return null
  const later = chance < 0.3 ? Math.floor(next() * (until - from)) : 0
  return dayAfter(february, from + later)
}

/** AWS bills machines, volumes and buckets by their short ids. */
const billedId = (cloudId: string, isShort: boolean): string =>
  isShort ? (cloudId.split(/[/:]/).at(-1) ?? cloudId) : cloudId

function chargesOf(cloudId: string, { kind, region, next, pick }: At): TestCharge[] {
  const isShort = /:ec2:|:s3:/.test(cloudId) && next() < 0.5
  const first = next() < 0.6 ? 0 : Math.floor(next() * 40)
  const last = next() < 0.7 ? lastDay : first + Math.floor(next() * (lastDay - first))
  const level = kind.type === 'aws_s3_bucket' ? 1 + next() * 40 : pick([1.2, 2.4, 2.4, 2.4, 7])
  const noise = pick([0, 0.01, 0.05, 0.6])
  const base: TestCharge = {
    provider: kind.provider ?? 'aws',
    service_name: kind.service ?? 'Amazon Elastic Compute Cloud',
    resource_id: billedId(cloudId, isShort),
    region_id: region,
    sub_account_id: '123456789012',
    billing_currency: pick(['USD', 'USD', 'USD', 'EUR', 'JPY']),
  }
  const charges: TestCharge[] = []
  const add = (day: number, cost: number, more: TestCharge = {}) =>
    charges.push({
      ...base,
      day: dayAfter(february, day),
      effective_cost: cost.toFixed(6),
      billed_cost: '9',
      ...more,
    })
  for (let day = first; day <= last; day += 1) {
    if (next() < 0.02) continue
    const cost = level * (1 + (next() * 2 - 1) * noise)
    const parts = next() < 0.2 ? 2 : 1
    for (let part = 0; part < parts; part += 1)
      add(day, cost / parts, part === 0 ? {} : { service_name: 'AWS Data Transfer' })
  }
  const other = () => Math.floor(next() * (lastDay + 1))
  if (next() < 0.3) add(other(), 19, { charge_category: 'Tax' })
  if (next() < 0.3) add(other(), -40, { charge_category: 'Credit' })
  if (next() < 0.1) add(other(), 500, { charge_category: 'Purchase' })
  if (next() < 0.1) add(other(), -30, { charge_class: 'Correction' })
  return charges
}
