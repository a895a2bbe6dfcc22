import type { AccountCheck } from '../../../domain/clouds/cloud-account.ts'
import type { KeptOutbound } from '../../outbound/outbound.ts'
import { bucketRights } from '../../../domain/clouds/rights.ts'
import { folderOf, settingOf } from '../bills/billing-settings.ts'
import { checkCalls, offCheck } from '../check-parts.ts'
import { CloudFault } from '../cloud-fault.ts'
import { bigQuery } from './big-query.ts'
import { googleBucket } from './google-bucket.ts'
import type { GoogleSession } from './google-session.ts'
import { tableOf, tryQuery } from './table-query.ts'

/**
 * Lists one file of the bill's folder and reads a byte of it, or asks whether the bill's table may be read and, with
 * a bucket beside it, be exported.
 */
export async function checkExport(
  session: GoogleSession,
  kept: KeptOutbound,
  signal: AbortSignal,
): Promise<AccountCheck> {
  const { billing } = session.target
  if (!billing) return offCheck('billing', 'No bill is set up for this account.')
  if (billing['dataset'] === undefined)
    return checkCalls('billing', [readByte(session, kept, signal)])
  const table = readTable(session, kept, signal)
  if (settingOf(billing, 'bucket') === '') return checkCalls('billing', [table])
  return checkCalls('billing', [table, mayExport(session, kept, signal)])
}

/** An export writes files into the bucket, lists and reads them, and deletes them. */
async function mayExport(session: GoogleSession, kept: KeptOutbound, signal: AbortSignal) {
  const bucket = googleBucket(session, kept)
  await bucket.first(folderOf(settingOf(session.target.billing, 'prefix')), signal)
  const needed = ['storage.objects.get', ...bucketRights]
  const granted = new Set(await bucket.granted(needed, signal))
  const missing = needed.filter((right) => !granted.has(right))
  if (missing.length === 0) return
  const reason = `The credentials lack ${missing.join(', ')} in the bucket.`
  throw new CloudFault('denied', reason, missing)
}

async function readByte(session: GoogleSession, kept: KeptOutbound, signal: AbortSignal) {
  const bucket = googleBucket(session, kept)
  const file = await bucket.first(settingOf(session.target.billing, 'prefix'), signal)
  if (!file || file.size === 0) return
  for await (const _ of (await bucket.piece(file, { from: 0, last: 0, signal })).body) break
}

/** A query that is not run needs the rights of one that is, and costs nothing. */
async function readTable(session: GoogleSession, kept: KeptOutbound, signal: AbortSignal) {
  const warehouse = bigQuery(session, kept)
  const { location } = await warehouse.describe(signal)
  await warehouse.tryQuery(tryQuery(tableOf(session.target.billing)), location, signal)
}
