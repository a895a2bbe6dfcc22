import type { AccountCheck } from '../../../domain/clouds/cloud-account.ts'
import type { Outbound } from '../../outbound/outbound.ts'
import { checkCalls, offCheck } from '../check-parts.ts'
import { googleFault } from './google-refusal.ts'
import type { GoogleSession } from './google-session.ts'

/** Lists one object of the bill's folder, or reads the description of the bill's table. */
export async function checkExport(
  session: GoogleSession,
  outbound: Outbound,
  signal: AbortSignal,
): Promise<AccountCheck> {
  const { billing, endpoints } = session.target
  if (!billing) return offCheck('billing', 'No bill is set up for this account.')
  const text = (name: string) =>
    encodeURIComponent(typeof billing[name] === 'string' ? billing[name] : '')
  const own = typeof billing['endpoint'] === 'string' ? billing['endpoint'] : undefined
  const isTable = billing['dataset'] !== undefined
  const storage = own ?? endpoints.storage ?? 'https://storage.googleapis.com'
  const warehouse = own ?? endpoints.warehouse ?? 'https://bigquery.googleapis.com'
  const action = isTable ? 'bigquery.tables.get' : 'storage.objects.list'
  const url = isTable
    ? `${warehouse}/bigquery/v2/projects/${text('projectId')}/datasets/${text('dataset')}/tables/${text('table')}`
    : `${storage}/storage/v1/b/${text('bucket')}/o?maxResults=1&prefix=${text('prefix')}`

  const ask = async () => {
    try {
      const headers = { authorization: `Bearer ${await session.token()}` }
      const answer = await outbound.request(url, { use: 'billing', headers, signal })
      if (answer.status < 300) return
      const data = answer.body.toString()
      throw Object.assign(new Error(''), { response: { status: answer.status, data } })
    } catch (error) {
      throw googleFault(error, action)
    }
  }
  return checkCalls('billing', [ask()])
}
