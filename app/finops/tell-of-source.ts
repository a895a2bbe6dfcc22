import type { NoticeScope } from '../../domain/notifications/announcement.ts'
import type { Tenant } from '../../store/driver/tenant.ts'
import { sourceHealth, type NamedSource } from '../../store/finops/source-health.ts'
import { announce } from '../notifications/announce.ts'

const path = '/cost/bills'

/** Of an account; uploads have no scope, so channels without one are told of them. */
export const scopeOfSource = ({ provider, cloudAccountId }: NamedSource): { scope?: NoticeScope } =>
  provider === null || cloudAccountId === null
    ? {}
    : { scope: { provider, accountId: cloudAccountId } }

/**
 * Announces that the bills of a source cannot be read, at the first failure after it was well; in the transaction
 * that notes what became of the source.
 */
export async function tellOfFailure(
  tenant: Tenant,
  { ingestId, sourceId }: { ingestId: number; sourceId: number },
  reason: string | null,
): Promise<void> {
  const health = sourceHealth(tenant)
  if ((await health.noteFailing([sourceId])).length === 0) return
  const source = await health.named(sourceId)
  if (!source) return
  const { name, cloudAccountId } = source
  await announce(tenant, {
    event: 'ingest.failed',
    subject: { kind: 'source', id: sourceId, label: name },
    dedupeKey: String(ingestId),
    title: `The bill of ${name} could not be read`,
    lines: [
      ...(reason === null ? [] : [reason]),
      'The old numbers stay. You are told again only after its bills were read in between.',
    ],
    path,
    ...scopeOfSource(source),
    detail: { ingestId, sourceId, cloudAccountId, reason },
  })
}

/** Announces once that an ingest broke off, for all of the sources that it did not come to. */
export async function tellOfBrokenIngest(
  tenant: Tenant,
  { ingestId, sourceIds }: { ingestId: number; sourceIds: readonly number[] },
  reason: string,
): Promise<void> {
  const health = sourceHealth(tenant)
  const failing = await health.noteFailing(sourceIds)
  if (failing.length === 0) return
  const bills =
    failing.length === 1
      ? 'The bill of 1 source was'
      : `The bills of ${failing.length} sources were`
  await announce(tenant, {
    event: 'ingest.failed',
    subject: { kind: 'ingest', id: ingestId, label: `ingest ${ingestId}` },
    title: 'The bills could not be read',
    lines: [reason, `${bills} not looked at. The old numbers stay.`],
    path,
    detail: { ingestId, sourceIds: failing, reason },
  })
}
