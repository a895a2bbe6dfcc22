import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { CloudTarget } from '../../../gateways/clouds/cloud.ts'
import { openCloud } from '../../../gateways/clouds/open-cloud.ts'
import { cloudDeps, cloudTarget } from '../../harness/clouds/cloud-target.ts'
import { startScriptedCloud, type ScriptedCloud } from '../../harness/clouds/scripted-cloud.ts'

const uuid = '0b1f6471-1bf0-4dda-aec3-cb9272f09590'
const workloadIdentityProvider =
  'projects/42/locations/global/workloadIdentityPools/pool/providers/cloud-control'
type Account = Pick<CloudTarget, 'provider' | 'accountId' | 'credentials'>
const accounts: Account[] = [
  {
    provider: 'aws',
    accountId: '123456789012',
    credentials: { roleArn: 'arn:aws:iam::123456789012:role/cloud-control' },
  },
  { provider: 'azure', accountId: uuid, credentials: { tenantId: uuid, clientId: uuid } },
  { provider: 'gcp', accountId: 'project-42', credentials: { workloadIdentityProvider } },
]

// The clients of the clouds pass no signal to the request by which they sign in, and repeat it.
describe('a cloud that takes a request and never answers', () => {
  let silent: ScriptedCloud
  beforeAll(async () => {
    silent = await startScriptedCloud()
    silent.answer = async () => new Promise<never>(() => undefined)
  })
  afterAll(async () => silent.stop())

  const open = async (account: Account) =>
    openCloud(cloudTarget(silent.url, account), cloudDeps([silent.port]))

  test.concurrent.each(accounts)(
    '$provider: unreachable, within ten seconds',
    { timeout: 30_000 },
    async (account) => {
      const cloud = await open(account)
      const startedAt = performance.now()
      const { outcome, reason } = await cloud.validate()
      expect([outcome, reason]).toEqual(['unreachable', expect.stringMatching(/in time/)])
      expect(performance.now() - startedAt).toBeLessThan(10_500)
      cloud.close()
    },
  )

  test.concurrent('the members of an organization end with their signal', async () => {
    const [aws] = accounts
    if (!aws) throw new Error('no account')
    const cloud = await open(aws)
    const signal = AbortSignal.timeout(500)
    const asked = cloud.members?.({ cursor: null, limit: 50, signal })
    await expect(asked).rejects.toMatchObject({ kind: 'unreachable' })
    cloud.close()
  })
})
