import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { openedClouds } from '../../harness/clouds/opened-clouds.ts'
import {
  type ScriptedAws,
  scriptedAccount,
  startScriptedAws,
  xmlRefusal,
} from '../../harness/clouds/scripted-aws.ts'

describe('a role, where the service has an AWS identity', () => {
  let aws: ScriptedAws
  beforeAll(async () => {
    aws = await startScriptedAws()
  })
  beforeEach(() => {
    vi.stubEnv('AWS_ACCESS_KEY_ID', 'AKIASERVICE')
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'the-secret-of-the-service')
  })
  afterEach(() => {
    vi.unstubAllEnvs()
    aws.reset()
  })
  afterAll(async () => aws.cloud.stop())

  const roleArn = `arn:aws:iam::${scriptedAccount}:role/cloud-control`
  const openAt = openedClouds({
    provider: 'aws',
    accountId: scriptedAccount,
    credentials: { roleArn },
  })
  const open = async () => openAt(aws.cloud, {}, { awsIdentity: 'environment' })

  test('that trusts the issuer alone is assumed by a token', async () => {
    aws.handlers['AssumeRole'] = () => xmlRefusal('AccessDenied', 'not authorized')
    const { outcome, checks } = await (await open()).validate()
    expect([outcome, checks[0]?.state]).toEqual(['answered', 'ok'])
    expect(aws.calls.filter((call) => call.startsWith('Assume'))).toEqual(
      expect.arrayContaining([expect.stringMatching(/^AssumeRole /), 'AssumeRoleWithWebIdentity']),
    )
  })

  test('that trusts neither is rejected, with what the external id would need', async () => {
    aws.handlers['AssumeRole'] = () => xmlRefusal('AccessDenied', 'not authorized')
    aws.handlers['AssumeRoleWithWebIdentity'] = () => xmlRefusal('AccessDenied', 'not authorized')
    const { outcome, reason } = await (await open()).validate()
    expect(outcome).toBe('rejected')
    expect(reason).toMatch(/external id/)
  })
})
