import type { CloudProvider } from './cloud-account.ts'
import { isOwnHost } from './own-hosts.ts'

/** `named` as it stands, `path` without the slashes at its ends, and where the cloud or the store of them is. */
type PlaceOfBills = { named: Record<string, string>; path: string; at: string }

type Account = {
  provider: CloudProvider
  endpoint: string | null
  endpoints: { storage?: string; warehouse?: string }
  /** Without what is secret. */
  billingShown: Readonly<Record<string, string>>
}

/**
 * What names an export among the settings of an account. Not the region, and of a table not the bucket: they are ways
 * to it. Two accounts that name one place would load the same bill, and count its cost twice.
 */
export function placeOfBills({
  provider,
  endpoint: ofAll,
  endpoints,
  billingShown,
}: Account): PlaceOfBills {
  const { endpoint, prefix = '', directory = '', region = '', ...shown } = billingShown
  const { projectId, dataset, table } = shown
  const isTable = projectId !== undefined && dataset !== undefined && table !== undefined
  const address = endpoint ?? (isTable ? endpoints.warehouse : endpoints.storage) ?? ofAll ?? ''
  const at = storeOf(provider, address) ?? partitionOf(region)
  if (isTable) return { named: { projectId, dataset, table }, path: '', at }
  return { named: shown, path: (prefix || directory).replaceAll(/^\/+|\/+$/g, ''), at }
}

/**
 * A store with the interface of a cloud has buckets of its own, so equal names are other bills. Undefined is the cloud,
 * whose names are the same at each of its own addresses, also at a private endpoint.
 */
function storeOf(provider: CloudProvider, address: string): string | undefined {
  const url = URL.parse(address)
  if (!url || isOwnHost(provider, url.hostname)) return undefined
  return `${url.origin}${url.pathname}`.replace(/\/+$/, '')
}

/** The names of buckets are unique within a partition of AWS. Other clouds name no region. */
const partitionOf = (region: string): string => /^(cn|us-gov)-/.exec(region)?.[0] ?? ''
