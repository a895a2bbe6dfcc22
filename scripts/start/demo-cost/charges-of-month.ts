import { dayNumber } from '../../../domain/finops/anomalies/days.ts'
import { million, type DemoCharge } from './demo-charge.ts'
import type { DemoCloud } from './demo-resource.ts'

type Fee = Pick<DemoCharge, 'category' | 'service' | 'serviceCategory' | 'serviceSubcategory'> & {
  meter: string
  /** Dollars; less than 0 for a credit. */
  amount: number
}

/** What a cloud books on the first day of each month. */
const monthly: Readonly<Record<DemoCloud, readonly Fee[]>> = {
  aws: [
    {
      category: 'Purchase',
      service: 'AWS Support (Business)',
      serviceCategory: 'Other',
      serviceSubcategory: 'Support',
      meter: 'Business support',
      amount: 640,
    },
    {
      category: 'Tax',
      service: 'AWS Support (Business)',
      serviceCategory: 'Other',
      serviceSubcategory: 'Support',
      meter: 'Sales tax on support',
      amount: 56.32,
    },
    {
      category: 'Credit',
      service: 'Amazon Elastic Compute Cloud',
      serviceCategory: 'Compute',
      serviceSubcategory: 'Virtual Machines',
      meter: 'Migration programme credit',
      amount: -240,
    },
  ],
  azure: [
    {
      category: 'Purchase',
      service: 'Microsoft Defender for Cloud',
      serviceCategory: 'Security',
      serviceSubcategory: 'Threat Detection and Response',
      meter: 'Foundational plan',
      amount: 120,
    },
    {
      category: 'Tax',
      service: 'Microsoft Defender for Cloud',
      serviceCategory: 'Security',
      serviceSubcategory: 'Threat Detection and Response',
      meter: 'Sales tax on plans',
      amount: 10.56,
    },
  ],
  gcp: [
    {
      category: 'Credit',
      service: 'Compute Engine',
      serviceCategory: 'Compute',
      serviceSubcategory: 'Virtual Machines',
      meter: 'Sustained use discount',
      amount: -90,
    },
    {
      category: 'Purchase',
      service: 'BigQuery',
      serviceCategory: 'Analytics',
      serviceSubcategory: 'Data Warehouses',
      meter: 'Enterprise edition, base fee',
      amount: 160,
    },
  ],
}

/** The fees, taxes and credits of a day: all on the first of a month. */
export function chargeForFees({ cloud, day }: { cloud: DemoCloud; day: string }): DemoCharge[] {
  if (!day.endsWith('-01')) return []
  return monthly[cloud].map(({ amount, meter, category, ...fee }) => {
    const money = Math.round(amount * million)
    return {
      ...fee,
      ...noResource,
      day,
      category,
      frequency: category === 'Credit' ? 'One-Time' : 'Recurring',
      description: meter,
      meter,
      unit: 'Months',
      unitPrice: Math.abs(amount),
      quantity: 1,
      billed: money,
      effective: money,
      list: category === 'Credit' ? 0 : money,
      contracted: category === 'Credit' ? 0 : money,
    }
  })
}

const noResource = {
  account: null,
  region: null,
  resource: null,
  commitment: null,
} as const

/** What AWS takes back once the month is final. */
const correction = (day: string): DemoCharge => ({
  ...noResource,
  day,
  category: 'Usage',
  isCorrection: true,
  frequency: 'One-Time',
  description: 'Correction: Multi-AZ hours that were billed twice',
  service: 'Amazon Relational Database Service',
  serviceCategory: 'Databases',
  serviceSubcategory: 'Relational Databases',
  meter: 'db.r7g.2xlarge PostgreSQL Multi-AZ',
  unit: 'Hours',
  unitPrice: 1.912,
  quantity: 24,
  billed: -45.888 * million,
  effective: -45.888 * million,
  list: -45.888 * million,
  contracted: -45.888 * million,
})

/** A month as the cloud first shows it: a tenth of its usage is not measured to the end yet. */
export const asDraft = (charges: readonly DemoCharge[]): DemoCharge[] =>
  charges.map((charge, at) => {
    if (charge.category !== 'Usage' || at % 10 !== dayNumber(charge.day) % 10) return charge
    const less = (amount: number) => Math.round(amount * 0.9)
    return {
      ...charge,
      billed: less(charge.billed),
      effective: less(charge.effective),
      list: less(charge.list),
      contracted: less(charge.contracted),
      quantity: Number((charge.quantity * 0.9).toFixed(6)),
    }
  })

/** The same month once it is invoiced. */
export const asFinal = (month: string, charges: readonly DemoCharge[]): DemoCharge[] => [
  ...charges,
  correction(`${month}-28`),
]
