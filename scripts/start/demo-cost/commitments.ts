import { million, type DemoCharge, type DemoCommitment } from './demo-charge.ts'
import type { DemoCloud } from './demo-resource.ts'

type Commitment = {
  uses: 'savings-plan' | 'reservation'
  of: Omit<DemoCommitment, 'status'>
  /** Millionths of a dollar a day, used or not. */
  daily: number
  /** Of the list price. */
  discount: number
  /** What is not used is a charge of its own, of this service. */
  unused: Pick<DemoCharge, 'service' | 'serviceCategory' | 'serviceSubcategory' | 'meter'>
}

const savingsPlan: Commitment = {
  uses: 'savings-plan',
  of: {
    id: 'arn:aws:savingsplans::111122223333:savingsplan/6f1d7c0e-52b4-4d0c-9a6e-3b1f5a8d2c47',
    name: 'Compute, 1 year, no upfront',
    type: 'Compute Savings Plan',
    category: 'Spend',
  },
  daily: 198 * million,
  discount: 0.28,
  unused: {
    service: 'Savings Plans for AWS Compute usage',
    serviceCategory: 'Compute',
    serviceSubcategory: 'Other (Compute)',
    meter: 'Compute Savings Plan',
  },
}

const reservation: Commitment = {
  uses: 'reservation',
  of: {
    id: '/providers/microsoft.capacity/reservationorders/2c1a9d53-7f40-4be1-8a55-90d3c6a4e7f2',
    name: 'D4s v5 in West Europe, 1 year',
    type: 'Reservation',
    category: 'Usage',
  },
  daily: 20.6 * million,
  discount: 0.38,
  unused: {
    service: 'Virtual Machines',
    serviceCategory: 'Compute',
    serviceSubcategory: 'Virtual Machines',
    meter: 'D4s v5',
  },
}

const ofCloud: Partial<Record<DemoCloud, Commitment>> = { aws: savingsPlan, azure: reservation }

/**
 * A cloud's usage as its commitment pays for it: in order until it is spent, the rest at the contract's
 * prices, and what nothing used as a charge of its own. Its purchase costs money and no effective cost.
 */
export function chargeForCommitment(
  cloud: DemoCloud,
  day: string,
  usage: readonly DemoCharge[],
): DemoCharge[] {
  const commitment = ofCloud[cloud]
  if (!commitment) return [...usage]
  let left = commitment.daily
  const charges = usage.flatMap((charge) => {
    if (charge.resource?.commitment !== commitment.uses || left <= 0) return [charge]
    const price = Math.round(charge.list * (1 - commitment.discount))
    const covered = Math.min(price, left)
    left -= covered
    return split(charge, { commitment, covered, share: covered / price })
  })
  const [first] = usage
  return first ? [...charges, ...ownCharges(first, { day, commitment, left })] : charges
}

type Covering = { commitment: Commitment; covered: number; share: number }

/** Of one that the commitment pays for in part, two charges. */
function split(charge: DemoCharge, { commitment, covered, share }: Covering): DemoCharge[] {
  const list = Math.round(charge.list * share)
  const contractedShare = Math.round(charge.contracted * share)
  const used: DemoCharge = {
    ...charge,
    ...parts(charge, share),
    billed: 0,
    effective: covered,
    list,
    contracted: contractedShare,
    commitment: { ...commitment.of, status: 'Used' },
  }
  if (share === 1) return [used]
  const rest = charge.contracted - contractedShare
  const amounts = { billed: rest, effective: rest, contracted: rest, list: charge.list - list }
  return [used, { ...charge, ...parts(charge, 1 - share), ...amounts }]
}

const parts = ({ quantity }: DemoCharge, share: number) => ({
  quantity: Number((quantity * share).toFixed(6)),
})

function ownCharges(
  { account }: DemoCharge,
  { day, commitment, left }: { day: string; commitment: Commitment; left: number },
): DemoCharge[] {
  const own: DemoCharge = {
    ...commitment.unused,
    day,
    category: 'Purchase',
    frequency: 'Recurring',
    description: `${commitment.of.name}, recurring fee`,
    account,
    region: null,
    resource: null,
    unit: 'Days',
    unitPrice: commitment.daily / million,
    quantity: 1,
    billed: commitment.daily,
    effective: 0,
    list: commitment.daily,
    contracted: commitment.daily,
    commitment: { ...commitment.of, status: null },
  }
  if (left <= 0) return [own]
  const unused: DemoCharge = {
    ...own,
    category: 'Usage',
    frequency: 'Usage-Based',
    description: `${commitment.of.name}, not used`,
    quantity: Number((left / commitment.daily).toFixed(6)),
    billed: 0,
    effective: left,
    list: 0,
    contracted: 0,
    commitment: { ...commitment.of, status: 'Unused' },
  }
  return [own, unused]
}
