import type { Body } from '../api/call.ts'
import { Field, TextField, textIn } from '../parts/forms.tsx'
import type { Provider, Use } from './cloud-words.ts'

type Credentials = Body<'connectCloudAccount'>['credentials']
type FieldOf = { name: keyof Credentials; label: string; hint?: string; secret?: true }

const awsRole: FieldOf[] = [
  {
    name: 'roleArn',
    label: 'Role ARN',
    hint: 'Of the role that the texts make, such as arn:aws:iam::123456789012:role/cloud-control.',
  },
]

/** What the cloud gives out once its side is set up. */
const fields: Record<Provider, Record<Use, readonly FieldOf[]>> = {
  aws: {
    federation: awsRole,
    role: awsRole,
    keys: [
      { name: 'accessKeyId', label: 'Access key id' },
      { name: 'secretAccessKey', label: 'Secret access key', secret: true },
    ],
  },
  azure: {
    federation: [
      { name: 'tenantId', label: 'Directory (tenant) id' },
      { name: 'clientId', label: 'Application (client) id' },
    ],
    role: [],
    keys: [
      { name: 'tenantId', label: 'Directory (tenant) id' },
      { name: 'clientId', label: 'Application (client) id' },
      { name: 'clientSecret', label: 'Client secret', secret: true },
    ],
  },
  gcp: {
    federation: [
      {
        name: 'workloadIdentityProvider',
        label: 'Workload identity provider',
        hint: 'projects/<number>/locations/global/workloadIdentityPools/<pool>/providers/<provider>',
      },
      { name: 'serviceAccountEmail', label: 'Service account (optional)' },
    ],
    role: [],
    keys: [{ name: 'serviceAccountKey', label: 'Service account key (JSON)', secret: true }],
  },
}

export function CredentialFields({ provider, use }: { provider: Provider; use: Use }) {
  return fields[provider][use].map(({ name, label, hint, secret }) => {
    const shared = { key: name, name, label, ...(hint && { hint }) }
    if (name === 'serviceAccountKey')
      return <TextField {...shared} key={name} required rows={6} spellCheck={false} />
    return (
      <Field
        {...shared}
        key={name}
        type={secret ? 'password' : 'text'}
        required={name !== 'serviceAccountEmail'}
        autoComplete="off"
        spellCheck={false}
      />
    )
  })
}

export const credentialsIn = (form: FormData, provider: Provider, use: Use): Credentials =>
  Object.fromEntries(
    fields[provider][use]
      .map(({ name }) => [name, textIn(form, name).trim()] as const)
      .filter(([, value]) => value !== ''),
  )
