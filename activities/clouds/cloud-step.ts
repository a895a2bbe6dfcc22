import { severalActive } from '../../store/platform/organizations.ts'
import type { Store } from '../../store/driver/connect.ts'
import { createStepShare } from '../step-share.ts'
import { cloudActivity } from './cloud-activity.ts'

/** Slots of a worker in the queue `cloud`. A step in one of them can hold some thousand resources in memory. */
export const cloudSlots = 8

/**
 * Slots that the steps of one organization may hold beside others. Four looks are one sync at its full pace. A merge
 * and a look at bills have a slot of their own, so that they do not wait for hours behind looks.
 */
const mostBesideOthers = { look: 4, merge: 1, bills: 1 } as const
type StepKind = keyof typeof mostBesideOthers

const handedBack = {
  code: 'cloud_share_taken',
  message: 'Too many calls of clouds of this organization are under way.',
  mostSeconds: 15,
  patienceMs: 30_000,
}
const shares = {
  look: createStepShare(handedBack),
  merge: createStepShare(handedBack),
  bills: createStepShare(handedBack),
}

/**
 * Wraps every activity of the queue `cloud`: clouds and endpoints of an organization's own answer as slowly as they
 * like, and with four syncs of four places each it would hold all slots of a worker. Over its organization's share a
 * step is handed back. The only organization of an installation may hold all slots.
 */
export async function cloudStep<T>(
  { store }: { store: Pick<Store, 'lookUp'> },
  { organizationId, kind }: { organizationId: number; kind: StepKind },
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const most = (await severalActive(store)) ? mostBesideOthers[kind] : cloudSlots
  return shares[kind]({ organizationId, most }, async () => cloudActivity(work))
}
