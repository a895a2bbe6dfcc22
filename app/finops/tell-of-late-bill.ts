import type { Tenant } from '../../store/driver/tenant.ts'
import { sourceHealth } from '../../store/finops/source-health.ts'
import { announce } from '../notifications/announce.ts'
import { scopeOfSource } from './tell-of-source.ts'

/**
 * Notes that the bill of a connected account is late, and announces it; or that it is late no more. Idempotent:
 * only the call that moves the mark announces, also of two workers at once.
 */
export async function tellOfLateBill(tenant: Tenant, sourceId: number): Promise<void> {
  const health = sourceHealth(tenant)
  const source = await health.holdLateness(sourceId)
  if (!source || source.isLate === source.isNoted) return
  const { name, cloudAccountId, completeThrough, reason, isLate } = source
  await health.noteLate(sourceId, isLate)
  if (!isLate) return
  await announce(tenant, {
    event: 'ingest.late',
    subject: { kind: 'source', id: sourceId, label: name },
    dedupeKey: new Date().toISOString(),
    title: `The bill of ${name} is late`,
    lines: [
      completeThrough === null
        ? 'No bill of this account has come yet.'
        : `It is complete through ${completeThrough} only.`,
      ...(reason === null ? [] : [`At the last look: ${reason}`]),
      'Budgets that need it are unknown, and no anomaly of later days is found until it comes.',
    ],
    path: '/cost/bills',
    ...scopeOfSource(source),
    detail: { sourceId, cloudAccountId, completeThrough, reason },
  })
}
