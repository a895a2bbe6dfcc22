import { randomBytes, randomInt } from 'node:crypto'

type Fields = Record<string, unknown>

/** A valid body of each provider, of an account that no other test names. */
export const awsAccount = (fields: Fields = {}) => {
  const accountId = String(randomInt(10 ** 11, 10 ** 12))
  return {
    provider: 'aws',
    name: 'Production',
    accountId,
    credentials: { roleArn: `arn:aws:iam::${accountId}:role/cloud-control` },
    ...fields,
  }
}

export const awsKeys = () => ({
  accessKeyId: `AKIA${randomBytes(8).toString('hex').toUpperCase()}`,
  secretAccessKey: randomBytes(30).toString('base64'),
})

export const azureAccount = (fields: Fields = {}) => ({
  provider: 'azure',
  name: 'Subscription',
  accountId: crypto.randomUUID(),
  credentials: { tenantId: crypto.randomUUID(), clientId: crypto.randomUUID() },
  ...fields,
})

export const googleAccount = (fields: Fields = {}) => ({
  provider: 'gcp',
  name: 'Project',
  accountId: `p-${randomBytes(6).toString('hex')}`,
  credentials: {
    workloadIdentityProvider:
      'projects/1/locations/global/workloadIdentityPools/cloud-control/providers/cloud-control',
  },
  ...fields,
})

export const serviceAccountKey = () =>
  JSON.stringify({
    type: 'service_account',
    client_email: 'reader@p.iam.gserviceaccount.com',
    private_key: `-----BEGIN PRIVATE KEY-----\n${randomBytes(64).toString('base64')}\n-----END PRIVATE KEY-----\n`,
  })
