import type { Body } from '../api/call.ts'
import { textIn } from '../parts/forms.tsx'
import type { Provider } from './cloud-words.ts'
import type { CloudAccount } from './queries.ts'

export type Billing = NonNullable<Body<'changeCloudAccount'>['billing']>
/** Files of an export, or a table of BigQuery. */
export type BillsFrom = 'none' | 'files' | 'table'

export type BillingField = {
  name: keyof Billing
  label: string
  hint: string
  /** `be empty`: the service wants the field, also without a text. */
  may?: 'be left out' | 'be empty'
  secret?: true
  url?: true
}

/** Where the bills of each provider can be. */
export const billsOf: Record<
  Provider,
  ReadonlyArray<{ from: BillsFrom; words: string; fields: readonly BillingField[] }>
> = {
  aws: [
    {
      from: 'files',
      words: 'From an export in a bucket of S3',
      fields: [
        {
          name: 'bucket',
          label: 'Bucket',
          hint: 'In AWS under Billing and Cost Management, Data Exports: that of a standard export of the table “FOCUS with AWS columns”.',
        },
        {
          name: 'prefix',
          label: 'Path prefix',
          hint: 'As the export has it, such as exports. It may be empty.',
          may: 'be empty',
        },
        { name: 'exportName', label: 'Name of the export', hint: 'As Data Exports lists it.' },
        {
          name: 'region',
          label: 'Region of the bucket',
          hint: 'In S3 under the properties of the bucket, such as us-east-1.',
        },
        endpointOf('S3'),
      ],
    },
  ],
  azure: [
    {
      from: 'files',
      words: 'From an export in a storage account',
      fields: [
        {
          name: 'storageAccount',
          label: 'Storage account',
          hint: 'In Azure under Cost Management, Exports: that of an export of the type “Cost and usage details (FOCUS)”.',
        },
        { name: 'container', label: 'Container', hint: 'As the export has it.' },
        {
          name: 'directory',
          label: 'Directory',
          hint: 'As the export has it. It may be empty.',
          may: 'be empty',
        },
        {
          name: 'sasToken',
          label: 'SAS token (optional)',
          hint: 'Of the container, with the rights Read and List. Without it and a connection string, the account reads the files with its own sign-in.',
          may: 'be left out',
          secret: true,
        },
        {
          name: 'connectionString',
          label: 'Connection string (optional)',
          hint: 'Instead of a SAS token. In Azure under Access keys of the storage account.',
          may: 'be left out',
          secret: true,
        },
        endpointOf('the storage account'),
      ],
    },
  ],
  gcp: [
    {
      from: 'table',
      words: 'From a table of BigQuery',
      fields: [
        {
          name: 'projectId',
          label: 'Project',
          hint: 'In Google Cloud under Billing, Billing export: that of the FOCUS export to BigQuery. It pays for the queries.',
        },
        { name: 'dataset', label: 'Dataset', hint: 'As Billing export has it.' },
        {
          name: 'table',
          label: 'Table',
          hint: 'In BigQuery below the dataset: gcp_billing_export_focus_…, or a view with its columns.',
        },
        {
          name: 'bucket',
          label: 'Bucket (optional)',
          hint: 'For months of more than 20 million lines: BigQuery writes them there, and they are deleted once they are read. It must be in the location of the dataset.',
          may: 'be left out',
        },
        {
          name: 'prefix',
          label: 'Path prefix (optional)',
          hint: 'Of the files in this bucket.',
          may: 'be left out',
        },
        endpointOf('BigQuery'),
      ],
    },
    {
      from: 'files',
      words: 'From files in a bucket of Cloud Storage',
      fields: [
        {
          name: 'bucket',
          label: 'Bucket',
          hint: 'It has a folder for each month, such as 2026-03, with files in FOCUS form.',
        },
        {
          name: 'prefix',
          label: 'Path prefix',
          hint: 'The path to the folders of the months. It may be empty.',
          may: 'be empty',
        },
        endpointOf('Cloud Storage'),
      ],
    },
  ],
}

function endpointOf(what: string): BillingField {
  return {
    name: 'endpoint',
    label: 'Endpoint of the bills (optional)',
    hint: `For a private endpoint of ${what}. An operator opens it with CC_PRIVATE_HOSTS.`,
    may: 'be left out',
    url: true,
  }
}

/** Where the bills of an account are now. */
export function billsFrom(provider: Provider, billing: CloudAccount['billing']): BillsFrom {
  if (billing === null) return 'none'
  return provider === 'gcp' && billing['dataset'] !== undefined ? 'table' : 'files'
}

export const fieldsOf = (provider: Provider, from: BillsFrom): readonly BillingField[] =>
  billsOf[provider].find((one) => one.from === from)?.fields ?? []

/** The name of the box that deletes a stored token or connection string. */
export const deletesSecretField = 'billing-deletes-secret'

/** Null: the bills are not read. */
export function billingIn(form: FormData, provider: Provider): Billing | null {
  const chosen = billsOf[provider].find(({ from }) => from === textIn(form, 'billing-from'))
  if (!chosen) return null
  return Object.fromEntries(
    chosen.fields
      .map(({ name, may }) => [name, textIn(form, `billing-${name}`).trim(), may] as const)
      .filter(([, value, may]) => value !== '' || may !== 'be left out'),
  )
}
