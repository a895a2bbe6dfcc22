import type { DemoAccount, DemoResource } from './demo-resource.ts'

/** A row of a bill of the demo. Money is in millionths of a dollar, so that sums are exact. */
export type DemoCharge = {
  day: string
  category: 'Usage' | 'Purchase' | 'Tax' | 'Credit'
  isCorrection?: boolean
  frequency: 'Usage-Based' | 'Recurring' | 'One-Time'
  description: string
  service: string
  serviceCategory: string
  serviceSubcategory: string
  account: DemoAccount | null
  region: string | null
  /** Of a charge for a resource, or for what costs without one. */
  resource: DemoResource | null
  meter: string
  unit: string
  unitPrice: number
  quantity: number
  billed: number
  effective: number
  list: number
  contracted: number
  commitment: DemoCommitment | null
}

export type DemoCommitment = {
  id: string
  name: string
  type: string
  category: 'Spend' | 'Usage'
  /** Null: a charge that buys it. */
  status: 'Used' | 'Unused' | null
}

export const million = 1_000_000

/** Exact decimal text of dollars. */
export function dollars(millionths: number): string {
  const sign = millionths < 0 ? '-' : ''
  const digits = String(Math.abs(millionths)).padStart(7, '0')
  return `${sign}${digits.slice(0, -6)}.${digits.slice(-6)}`
}

/** The lists of anomalies and forecasts are made of these (docs/cost.md). */
export const isUsage = ({ category, isCorrection }: DemoCharge): boolean =>
  category === 'Usage' && !isCorrection
