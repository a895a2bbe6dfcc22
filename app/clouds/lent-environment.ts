import type { AzureCredentials } from '../../domain/clouds/cloud-account.ts'
import type { RunPhase } from '../../domain/clouds/check-runs.ts'
import type { Keyring } from '../../gateways/keyring/keyring.ts'
import { cloudDoorPaths } from '../../gateways/sandbox/cloud-door.ts'
import { placeOfCredentials, type CloudAccount } from '../../store/clouds/cloud-account-row.ts'

/** What directs a cloud's own libraries and provider to the door. */
export type LentEnvironment = {
  env: Record<string, string>
  /** A file, and the variable that names it. */
  file?: { variable: string; name: string; content: string }
}

type Door = { url: string; capability: string; phase: RunPhase }

/** Undefined where the account lends nothing in this phase. */
export function lentEnvironment(
  keyring: Keyring,
  account: CloudAccount,
  door: Door,
): LentEnvironment | undefined {
  if (account.runs?.[door.phase] === undefined) return undefined
  if (account.provider === 'aws') return forAws(door)
  return account.provider === 'azure' ? forAzure(keyring, account, door) : forGoogle(door)
}

const forAws = ({ url, capability }: Door): LentEnvironment => ({
  env: {
    AWS_CONTAINER_CREDENTIALS_FULL_URI: `${url}${cloudDoorPaths.aws}`,
    AWS_CONTAINER_AUTHORIZATION_TOKEN: capability,
    // There is none to wait for.
    AWS_EC2_METADATA_DISABLED: 'true',
  },
})

function forAzure(
  keyring: Keyring,
  { organizationId, credentials, accountId, runs }: CloudAccount,
  { url, capability, phase }: Door,
): LentEnvironment {
  if (!credentials) throw new Error('a disconnected account has no credentials')
  const opened = keyring.open(placeOfCredentials(organizationId), credentials)
  // Checked when they were sealed (api/clouds/account-columns.ts).
  const own = JSON.parse(opened.toString()) as AzureCredentials
  const identity = runs?.[phase]
  const other = typeof identity === 'object' && 'clientId' in identity ? identity.clientId : null
  const isGroup = accountId.startsWith('managementGroups/')
  return {
    env: {
      ARM_USE_OIDC: 'true',
      ARM_OIDC_REQUEST_URL: `${url}${cloudDoorPaths.azure}`,
      ARM_OIDC_REQUEST_TOKEN: capability,
      ARM_TENANT_ID: own.tenantId,
      ARM_CLIENT_ID: other ?? own.clientId,
      ...(!isGroup && { ARM_SUBSCRIPTION_ID: accountId }),
    },
  }
}

/** AIP-4117. The audience is compared by the door alone, which needs none. */
const forGoogle = ({ url, capability }: Door): LentEnvironment => ({
  env: {},
  file: {
    variable: 'GOOGLE_APPLICATION_CREDENTIALS',
    name: 'google.json',
    content: JSON.stringify({
      type: 'external_account',
      audience: '//iam.googleapis.com/cloud-control/runs',
      subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
      token_url: `${url}${cloudDoorPaths.googleToken}`,
      credential_source: {
        url: `${url}${cloudDoorPaths.google}`,
        headers: { Authorization: `Bearer ${capability}` },
        format: { type: 'json', subject_token_field_name: 'subject_token' },
      },
    }),
  },
})
