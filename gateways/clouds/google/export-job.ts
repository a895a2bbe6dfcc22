import { setTimeout as sleep } from 'node:timers/promises'
import { bucketRights } from '../../../domain/clouds/rights.ts'
import { settingOf } from '../bills/billing-settings.ts'
import { isRecord } from '../bills/parse-manifest.ts'
import { CloudFault } from '../cloud-fault.ts'
import type { Call, QueryJob } from './query-job.ts'

export type Exported = { rows: number; files: number }

/** Together half an hour; an export of some gigabytes takes minutes. */
const pollMs = 3_000
const maxPolls = 600

/** Asks for the job (jobs.get) until its state is DONE. */
export async function exportedBy(
  call: Call,
  { id, location }: QueryJob,
  signal: AbortSignal,
): Promise<Exported> {
  const query = location === undefined ? '' : `?${new URLSearchParams({ location })}`
  const path = `/jobs/${encodeURIComponent(id)}${query}`
  for (let polls = 0; polls < maxPolls; polls += 1) {
    const { status, statistics } = await call({ path, action: 'bigquery.jobs.create' }, signal)
    if (isRecord(status) && status['state'] === 'DONE') {
      if (isRecord(status['errorResult'])) throw failureOf(status['errorResult'])
      return countsOf(statistics)
    }
    await sleep(Math.min(pollMs, 200 * (polls + 1)), undefined, { signal })
  }
  throw new CloudFault('unreachable', 'BigQuery did not end the export in time.')
}

/** `{ query: { exportDataStatistics: { fileCount, rowCount } } }` (JobStatistics2). */
function countsOf(statistics: unknown): Exported {
  const query = isRecord(statistics) ? statistics['query'] : undefined
  const counts = isRecord(query) ? query['exportDataStatistics'] : undefined
  if (!isRecord(counts)) throw unreadable()
  // Zero is left out of some answers of Google's.
  const [rows, files] = [Number(counts['rowCount'] ?? 0), Number(counts['fileCount'] ?? 0)]
  if (!Number.isSafeInteger(rows) || !Number.isSafeInteger(files)) throw unreadable()
  return { rows, files }
}

const unreadable = () => new CloudFault('unreachable', "BigQuery's answer cannot be read.")

/** ErrorProto: `reason` is a word of BigQuery's; `message` is read and not passed on. */
function failureOf(error: Record<string, unknown>): CloudFault {
  const [reason, message] = [settingOf(error, 'reason'), settingOf(error, 'message')]
  if (reason === 'accessDenied') {
    const named = /\b(?:bigquery|storage)(?:\.[A-Za-z]{1,40}){2}\b/.exec(message)?.[0]
    const [right] = bucketRights
    const missing = named ?? right
    return new CloudFault('denied', `The credentials lack the right ${missing}.`, [missing])
  }
  if (reason === 'notFound')
    return new CloudFault(
      'unreachable',
      'BigQuery does not find the bucket. Check billing.bucket, and that it is in the location of the table.',
    )
  if (/^(rateLimitExceeded|quotaExceeded|backendError|internalError)$/.test(reason))
    return new CloudFault('throttled', 'BigQuery could not export the bill now.')
  const told = /^[A-Za-z]{1,60}$/.test(reason) ? ` (${reason})` : ''
  return new CloudFault(
    'unreachable',
    `BigQuery could not export the bill${told}. Check that the bucket is in the location of the table, and has no retention policy.`,
  )
}
