import type { CloudProvider } from './cloud-account.ts'
import { onlyFields, refuseField } from './refuse-field.ts'

const fields = {
  aws: ['bucket', 'prefix', 'region', 'exportName', 'endpoint'],
  azure: ['storageAccount', 'container', 'directory', 'sasToken', 'connectionString', 'endpoint'],
  gcp: ['bucket', 'prefix', 'projectId', 'dataset', 'table', 'endpoint'],
} as const
type Field = (typeof fields)[CloudProvider][number]

export type SentBilling = Readonly<Partial<Record<Field, string>>>
export type CheckedBilling = {
  billing: Record<string, string>
  /** The same without what is secret. */
  shown: Record<string, string>
}

/** Where an account's bills are, if it has a form of its provider. */
export function checkBilling(provider: CloudProvider, sent: SentBilling): CheckedBilling {
  const billing = onlyFields<Field>(sent, {
    at: 'billing',
    fields: fields[provider],
    form: `the billing settings of ${provider}`,
  })
  for (const needed of neededOf(provider, billing))
    if (billing[needed] === undefined) throw refuseField(`billing.${needed}`, 'is required')
  if (billing.sasToken !== undefined && billing.connectionString !== undefined)
    throw refuseField('billing', 'send sasToken or connectionString, not both')
  // Otherwise the account's own token would go to the address that the string names.
  const { connectionString } = billing
  if (
    connectionString !== undefined &&
    !/(^|;)\s*(AccountKey|SharedAccessSignature)=[^;]/.test(connectionString)
  )
    throw refuseField(
      'billing.connectionString',
      'has neither AccountKey nor SharedAccessSignature',
    )
  for (const [field, { pattern, form }] of Object.entries(forms)) {
    const value = sent[field as Field]
    if (value !== undefined && !pattern.test(value)) throw refuseField(`billing.${field}`, form)
  }
  if (provider === 'azure') checkBlobEndpoint(billing)
  const set = Object.entries(billing).filter(([, value]) => value !== undefined)
  return {
    billing: Object.fromEntries(set),
    shown: Object.fromEntries(set.filter(([field]) => !secrets.has(field))),
  }
}

/** Of another storage account's address, the bill of a stranger would be read with this account's token. */
function checkBlobEndpoint({ endpoint, storageAccount = '' }: SentBilling): void {
  // What is no address at all is refused where addresses are looked up.
  const url = endpoint === undefined ? null : URL.parse(endpoint)
  if (!url) return
  const [host] = url.hostname.split('.')
  const [, folder] = url.pathname.split('/')
  if (host !== storageAccount && folder !== storageAccount)
    throw refuseField(
      'billing.endpoint',
      `is not the blob endpoint of ${storageAccount} (https://${storageAccount}.blob.core.windows.net, or http://host:port/${storageAccount})`,
    )
}

const secrets = new Set(['sasToken', 'connectionString'])

function neededOf(provider: CloudProvider, billing: SentBilling): Field[] {
  if (provider === 'aws') return ['bucket', 'prefix', 'region', 'exportName']
  if (provider === 'azure') return ['storageAccount', 'container', 'directory']
  const isQuery =
    billing.projectId !== undefined ||
    billing.dataset !== undefined ||
    billing.table !== undefined ||
    billing.bucket === undefined
  return isQuery ? ['projectId', 'dataset', 'table'] : ['bucket', 'prefix']
}

const path = { pattern: /^[^\p{Cc}\\]{0,1000}$/u, form: 'is not a path of a bucket' }
const forms: Partial<Record<Field, { pattern: RegExp; form: string }>> = {
  bucket: { pattern: /^[a-z0-9][a-z0-9._-]{1,220}[a-z0-9]$/, form: 'is not the name of a bucket' },
  prefix: path,
  directory: path,
  region: { pattern: /^[a-z]{2}[a-z0-9-]{2,30}$/, form: 'is not a region' },
  exportName: { pattern: /^[\w .-]{1,128}$/, form: 'is not the name of an export' },
  storageAccount: { pattern: /^[a-z0-9]{3,24}$/, form: 'is not a storage account' },
  container: {
    pattern: /^(?:\$web|\$root|[a-z0-9](?:[a-z0-9]|-(?=[a-z0-9])){2,62})$/,
    form: 'is not the name of a container',
  },
  projectId: {
    pattern: /^(?:[a-z0-9.-]{1,100}:)?[a-z][a-z0-9-]{4,28}[a-z0-9]$/,
    form: 'is not a project id',
  },
  dataset: { pattern: /^\w{1,1024}$/, form: 'is not a dataset' },
  table: { pattern: /^[\w$-]{1,1024}$/, form: 'is not a table' },
}
