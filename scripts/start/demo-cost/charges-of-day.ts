import { dayNumber, daysBetween } from '../../../domain/finops/anomalies/days.ts'
import { awsResources } from './aws-services.ts'
import { azureResources } from './azure-services.ts'
import { chargeForFees } from './charges-of-month.ts'
import { chargeForCommitment } from './commitments.ts'
import { million, type DemoCharge } from './demo-charge.ts'
import { eventFactor } from './demo-events.ts'
import { chance, type DemoCloud, type DemoResource, type WeekShape } from './demo-resource.ts'
import { googleResources } from './google-services.ts'

export const demoResources: Readonly<Record<DemoCloud, readonly DemoResource[]>> = {
  aws: awsResources,
  azure: azureResources,
  gcp: googleResources,
}

/** `anchor`: the day on which the demo was first filled in, which its events are counted from. */
type At = { cloud: DemoCloud; day: string; anchor: string }

/** All charges of a cloud on a day. The same day of the same anchor always costs the same. */
export function chargesOfDay({ cloud, day, anchor }: At): DemoCharge[] {
  return [...usageOfDay({ cloud, day, anchor }), ...chargeForFees({ cloud, day })]
}

/** What is used, with the commitments that pay for some of it. */
function usageOfDay({ cloud, day, anchor }: At): DemoCharge[] {
  const daysAgo = daysBetween(day, anchor)
  const usage = demoResources[cloud].flatMap((resource) => usageOf(resource, day, daysAgo))
  return chargeForCommitment(cloud, day, usage)
}

/** What contracts take off list prices. */
const negotiated: Readonly<Record<DemoCloud, number>> = { aws: 0.05, azure: 0.03, gcp: 0 }

function usageOf(resource: DemoResource, day: string, daysAgo: number): DemoCharge[] {
  const { cloud, beganDaysAgo, unitPrice, unit, meter, name, service } = resource
  if (beganDaysAgo !== undefined && daysAgo > beganDaysAgo) return []
  const cost =
    resource.daily *
    (1 + (resource.growth ?? 0)) ** (-daysAgo / 365) *
    shareOfWeekday(resource, day) *
    eventFactor(resource, daysAgo) *
    // Nothing runs for more than a day's hours.
    (0.97 + (unit === 'Hours' ? 0.03 : 0.06) * chance(`${service} ${name} ${day}`))
  const quantity = Math.max(1e-6, Number((cost / unitPrice).toFixed(6)))
  const list = Math.max(1, Math.round(quantity * unitPrice * million))
  const contracted = Math.round(list * (1 - negotiated[cloud]))
  const amounts = { billed: contracted, effective: contracted, list, contracted }
  return [
    {
      day,
      category: 'Usage',
      frequency: 'Usage-Based',
      description: `${meter}, ${resource.region}`,
      service,
      serviceCategory: resource.category,
      serviceSubcategory: resource.subcategory,
      account: resource.account,
      region: resource.region,
      resource,
      meter,
      unit,
      unitPrice,
      quantity,
      ...amounts,
      commitment: null,
    },
  ]
}

/** From Monday. */
const weeks: Readonly<Record<WeekShape, readonly number[]>> = {
  flat: [1, 1, 1, 1, 1, 1, 1],
  office: [1.02, 1.04, 1.04, 1.02, 0.96, 0.42, 0.38],
  shop: [0.95, 0.93, 0.94, 0.97, 1.05, 1.14, 1.1],
}

function shareOfWeekday({ week = 'flat', cloud }: DemoResource, day: string): number {
  const share = weeks[week][(dayNumber(day) + 3) % 7] ?? 1
  // Between the years the office stands still.
  const isHoliday =
    cloud === 'azure' && week === 'office' && /-12-(2[4-9]|3[01])$|-01-01$/.test(day)
  return isHoliday ? Math.min(share, 0.55) : share
}
