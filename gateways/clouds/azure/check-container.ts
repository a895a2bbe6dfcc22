import { createHmac } from 'node:crypto'
import type { AccountCheck } from '../../../domain/clouds/cloud-account.ts'
import type { Outbound } from '../../outbound/outbound.ts'
import { checkCalls, offCheck } from '../check-parts.ts'
import { azureFault } from './azure-refusal.ts'
import type { AzureSession } from './azure-session.ts'

const right = 'Microsoft.Storage/storageAccounts/blobServices/containers/blobs/read'
const version = '2023-11-03'

/** Lists one blob of the bill's folder, by what the account names for it, else by its identity. */
export async function checkContainer(
  session: AzureSession,
  outbound: Outbound,
  signal: AbortSignal,
): Promise<AccountCheck> {
  const { billing, endpoints } = session.target
  if (!billing) return offCheck('billing', 'No bill is set up for this account.')
  const text = (name: string) => (typeof billing[name] === 'string' ? billing[name] : '')
  const connection = connectionParts(text('connectionString'))
  const account = connection.get('AccountName') || text('storageAccount')
  const origin =
    text('endpoint') ||
    (endpoints.storage ??
      connection.get('BlobEndpoint') ??
      `https://${encodeURIComponent(account)}.blob.core.windows.net`)
  const url = new URL(`${origin.replace(/\/$/, '')}/${encodeURIComponent(text('container'))}`)
  const sas = text('sasToken') || (connection.get('SharedAccessSignature') ?? '')
  for (const [name, value] of new URLSearchParams(sas)) url.searchParams.set(name, value)
  const query = { restype: 'container', comp: 'list', maxresults: '1', prefix: text('directory') }
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)

  const list = async () => {
    const headers = { 'x-ms-date': new Date().toUTCString(), 'x-ms-version': version }
    const key = connection.get('AccountKey')
    const authorization =
      sas !== ''
        ? undefined
        : key === undefined
          ? `Bearer ${await session.token('https://storage.azure.com', signal)}`
          : sharedKey({ url, headers, account, key })
    const { status, headers: answered } = await outbound
      .request(url, {
        use: 'billing',
        headers: { ...headers, ...(authorization && { authorization }) },
        signal,
      })
      .catch((error: unknown) => {
        throw azureFault(error, right)
      })
    if (status < 300) return
    const refusal = Object.assign(new Error(''), {
      code: String(answered['x-ms-error-code'] ?? ''),
      // Storage says 403 both to a wrong key and to a missing right.
      statusCode: status === 401 ? 403 : status,
    })
    throw azureFault(refusal, right)
  }
  return checkCalls('billing', [list()])
}

/** `Key=value;Key=value` (Azure Storage connection strings). */
const connectionParts = (text: string): Map<string, string> =>
  new Map(
    text
      .split(';')
      .filter((part) => part.includes('='))
      .map((part) => [part.slice(0, part.indexOf('=')).trim(), part.slice(part.indexOf('=') + 1)]),
  )

/** Azure Storage's "Authorize with Shared Key", for a GET without a body. */
function sharedKey(request: {
  url: URL
  headers: Record<string, string>
  account: string
  key: string
}): string {
  const { url, headers, account, key } = request
  const named = Object.entries(headers).map(([name, value]) => `${name}:${value}\n`)
  const query = [...url.searchParams].map(([name, value]) => `\n${name.toLowerCase()}:${value}`)
  const resource = `/${account}${url.pathname}${query.toSorted().join('')}`
  const text = `GET${'\n'.repeat(12)}${named.toSorted().join('')}${resource}`
  const signature = createHmac('sha256', Buffer.from(key, 'base64')).update(text).digest('base64')
  return `SharedKey ${account}:${signature}`
}
