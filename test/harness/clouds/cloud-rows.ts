import { randomInt } from 'node:crypto'
import type { CloudProvider } from '../../../domain/clouds/cloud-account.ts'
import { accountConnections } from '../../../store/clouds/account-connections.ts'
import { placeOfCredentials } from '../../../store/clouds/cloud-account-row.ts'
import { unwrap } from '../../../store/driver/tenant.ts'
import type { Harness } from '../create-harness.ts'

/** A connected account whose credentials no cloud knows. */
export async function connectedAccount(
  { deps: { store, keyring } }: Harness,
  organizationId: number,
  provider: CloudProvider = 'aws',
): Promise<number> {
  const credentials = JSON.stringify({ accessKeyId: 'AKIA', secretAccessKey: 'unknown' })
  return store.tenant(organizationId, async (tenant) => {
    const { id } = await accountConnections(tenant).connect({
      provider,
      accountId: String(randomInt(1e11, 1e12 - 1)),
      name: 'own',
      credentials: keyring.seal(placeOfCredentials(organizationId), credentials),
      credentialsKind: 'keys',
      billing: null,
      billingShown: null,
      regions: null,
      endpoint: null,
      endpoints: {},
      runs: null,
      createdBy: null,
    })
    return id
  })
}

export type ResourceRow = {
  cloudId: string
  service?: string
  type?: string
  name?: string
  region?: string
  tags?: Record<string, string>
  state?: 'present' | 'gone'
}

/** Resources of an account as a sync leaves them, all in one place. Returns their ids by cloud id. */
export async function resourceRows(
  { deps: { store } }: Harness,
  at: { organizationId: number; accountId: number; provider?: CloudProvider },
  rows: readonly ResourceRow[],
): Promise<Map<string, number>> {
  const { organizationId, accountId, provider = 'aws' } = at
  return store.tenant(organizationId, async (tenant) => {
    const { db } = unwrap(tenant)
    const place = { organizationId, cloudAccountId: accountId }
    const [{ id: placeId }] = await db('cloud_places')
      .insert({ ...place, region: 'eu-west-1', service: '', lookedAt: new Date() })
      .onConflict(['organizationId', 'cloudAccountId', 'region', 'service'])
      .merge()
      .returning('id')
    const made = await db('cloud_resources')
      .insert(
        rows.map(({ tags = {}, ...row }) => ({
          ...place,
          placeId,
          provider,
          service: 's3',
          type: 's3:bucket',
          name: row.cloudId,
          region: 'eu-west-1',
          digest: '',
          ...row,
          tags: JSON.stringify(tags),
        })),
      )
      .returning(['id', 'cloudId'])
    return new Map(made.map(({ id, cloudId }) => [cloudId, id]))
  })
}
