import type {
  AwsCredentials,
  AzureCredentials,
  CloudCredentials,
  CloudProvider,
  GoogleCredentials,
} from './cloud-account.ts'
import { identityForms, uuid } from './identity-forms.ts'
import { onlyFields, refuseField } from './refuse-field.ts'

export type SentCredentials = Readonly<
  Partial<
    Record<
      | 'roleArn'
      | 'accessKeyId'
      | 'secretAccessKey'
      | 'tenantId'
      | 'clientId'
      | 'clientSecret'
      | 'workloadIdentityProvider'
      | 'serviceAccountEmail'
      | 'serviceAccountKey',
      string
    >
  >
>
export type CheckedCredentials = { credentials: CloudCredentials; kind: 'federation' | 'keys' }

/** The credentials of an account, if they have one of its provider's forms. */
export function checkCredentials(
  provider: CloudProvider,
  sent: SentCredentials,
): CheckedCredentials {
  if (provider === 'aws') return checkAws(sent)
  return provider === 'azure' ? checkAzure(sent) : checkGoogle(sent)
}

const at = 'credentials'

function checkAws(sent: SentCredentials): CheckedCredentials {
  const form = 'AWS credentials'
  const { roleArn, accessKeyId, secretAccessKey } = onlyFields(sent, {
    at,
    form,
    fields: ['roleArn', 'accessKeyId', 'secretAccessKey'],
  })
  if (roleArn !== undefined) {
    if (accessKeyId !== undefined || secretAccessKey !== undefined)
      throw refuseField(at, 'send a role or a key, not both')
    expectForm('roleArn', roleArn, identityForms.roleArn)
    const credentials: AwsCredentials = { roleArn }
    return { credentials, kind: 'federation' }
  }
  if (accessKeyId === undefined || secretAccessKey === undefined)
    throw refuseField(at, 'AWS needs roleArn, or accessKeyId and secretAccessKey')
  expectForm('accessKeyId', accessKeyId, {
    // A key of a session (ASIA…) ends within hours and needs a token beside it.
    pattern: /^(?!ASIA)[A-Z0-9]{16,128}$/,
    form: 'is not the id of a long-term key of a user (AKIA…)',
  })
  expectForm('secretAccessKey', secretAccessKey, {
    pattern: /^[\x21-\x7e]{16,128}$/,
    form: 'is not the secret of an access key',
  })
  const credentials: AwsCredentials = { accessKeyId, secretAccessKey }
  return { credentials, kind: 'keys' }
}

function checkAzure(sent: SentCredentials): CheckedCredentials {
  const { tenantId, clientId, clientSecret } = onlyFields(sent, {
    at,
    form: 'Azure credentials',
    fields: ['tenantId', 'clientId', 'clientSecret'],
  })
  if (tenantId === undefined || clientId === undefined)
    throw refuseField(at, 'Azure needs tenantId and clientId, and clientSecret without federation')
  expectForm('tenantId', tenantId, { pattern: uuid, form: 'is not the UUID of an Entra tenant' })
  expectForm('clientId', clientId, identityForms.clientId)
  const application = { tenantId: tenantId.toLowerCase(), clientId: clientId.toLowerCase() }
  if (clientSecret === undefined) {
    const credentials: AzureCredentials = application
    return { credentials, kind: 'federation' }
  }
  expectForm('clientSecret', clientSecret, {
    pattern: /^[\x21-\x7e]{16,256}$/,
    form: 'is not the value of a client secret',
  })
  const credentials: AzureCredentials = { ...application, clientSecret }
  return { credentials, kind: 'keys' }
}

/** The provider's full name begins with this; it is kept without. */
const prefix = '//iam.googleapis.com/'

function checkGoogle(sent: SentCredentials): CheckedCredentials {
  const {
    workloadIdentityProvider: provider,
    serviceAccountEmail: email,
    serviceAccountKey: key,
  } = onlyFields(sent, {
    at,
    form: 'Google credentials',
    fields: ['workloadIdentityProvider', 'serviceAccountEmail', 'serviceAccountKey'],
  })
  if (key !== undefined) {
    if (provider !== undefined || email !== undefined)
      throw refuseField(at, 'send a workload identity provider or a key, not both')
    checkServiceAccountKey(key)
    const credentials: GoogleCredentials = { serviceAccountKey: key }
    return { credentials, kind: 'keys' }
  }
  if (provider === undefined)
    throw refuseField(at, 'Google needs workloadIdentityProvider, or serviceAccountKey')
  const name = provider.startsWith(prefix) ? provider.slice(prefix.length) : provider
  expectForm('workloadIdentityProvider', name, {
    pattern:
      /^projects\/\d{1,20}\/locations\/global\/workloadIdentityPools\/[a-z0-9-]{4,32}\/providers\/[a-z0-9-]{4,32}$/,
    form: 'is not a provider as projects/1/locations/global/workloadIdentityPools/pool/providers/name',
  })
  if (email !== undefined)
    expectForm('serviceAccountEmail', email, identityForms.serviceAccountEmail)
  const credentials: GoogleCredentials = {
    workloadIdentityProvider: name,
    ...(email !== undefined && { serviceAccountEmail: email }),
  }
  return { credentials, kind: 'federation' }
}

function checkServiceAccountKey(key: string): void {
  const { type, client_email: email, private_key: privateKey } = parse(key)
  if (
    type !== 'service_account' ||
    typeof email !== 'string' ||
    typeof privateKey !== 'string' ||
    !privateKey.startsWith('-----BEGIN')
  )
    throw refuseField(`${at}.serviceAccountKey`, 'is not the JSON file of a service account key')
}

function parse(key: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(key)
    // An array has none of the fields either.
    return typeof value === 'object' && value !== null ? { ...value } : {}
  } catch {
    return {}
  }
}

/** The message never quotes the value: it may be a secret in the wrong field. */
function expectForm(
  field: string,
  value: string,
  { pattern, form }: { pattern: RegExp; form: string },
): void {
  if (!pattern.test(value)) throw refuseField(`${at}.${field}`, form)
}
