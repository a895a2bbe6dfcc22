import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { Place } from '../../../domain/clouds/cloud-account.ts'
import type { Cloud, CloudTarget } from '../../../gateways/clouds/cloud.ts'
import { openCloud } from '../../../gateways/clouds/open-cloud.ts'
import { cloudDeps, cloudTarget } from '../../harness/clouds/cloud-target.ts'
import {
  type ScriptedAws,
  scriptedAccount,
  startScriptedAws,
} from '../../harness/clouds/scripted-aws.ts'

const keys = { accessKeyId: 'AKIAACCOUNT', secretAccessKey: 'the-secret-of-the-account' }
const place = (region: string): Place => ({ region, service: '', state: 'ok', reason: null })

describe('the endpoint of an AWS account', () => {
  let aws: ScriptedAws
  let opened: Cloud[] = []
  beforeAll(async () => {
    aws = await startScriptedAws()
  })
  afterEach(() => {
    for (const cloud of opened) cloud.close()
    opened = []
    aws.reset()
  })
  afterAll(async () => aws.cloud.stop())

  const open = async (more: Partial<CloudTarget> = {}) => {
    const account = { provider: 'aws', accountId: scriptedAccount, credentials: keys } as const
    const target = cloudTarget(aws.cloud.url, { ...account, ...more })
    const cloud = await openCloud(target, cloudDeps([aws.cloud.port]))
    opened.push(cloud)
    return cloud
  }

  describe('an endpoint that is not allowed', () => {
    const metadata = 'http://169.254.169.254/latest/'
    test.each(['http://127.0.0.1:1', 'https://localhost', 'https://[::1]', metadata])(
      '400 address_not_allowed: %s, for each call',
      async (url) => {
        const endpoints = { identity: url, resources: url }
        const cloud = await open({ endpoints })
        const refused = { fault: 'invalid', code: 'address_not_allowed' }
        await expect(cloud.validate()).rejects.toMatchObject(refused)
        await expect(cloud.places()).rejects.toMatchObject(refused)
        await expect(cloud.resources(place('us-east-1'), null)).rejects.toMatchObject(refused)
        await expect(cloud.members?.({ cursor: null, limit: 50 })).rejects.toMatchObject(refused)
      },
    )

    test.each([301, 302, 307, 308])(
      '400 address_not_allowed: a redirect there, %i',
      async (status) => {
        for (const name of Object.keys(aws.handlers))
          aws.handlers[name] = () => ({ status, headers: { location: metadata } })
        const cloud = await open()
        await expect(cloud.validate()).rejects.toMatchObject({ code: 'address_not_allowed' })
      },
    )
  })

  test('nobody answers: unreachable, within ten seconds', async () => {
    const url = 'http://127.0.0.1:9'
    const target = cloudTarget(url, {
      provider: 'aws',
      accountId: scriptedAccount,
      credentials: keys,
    })
    const cloud = await openCloud(target, cloudDeps([9]))
    const startedAt = performance.now()
    const { outcome, reason } = await cloud.validate()
    expect(outcome).toBe('unreachable')
    expect(reason).toMatch(/cannot be reached/)
    expect(performance.now() - startedAt).toBeLessThan(10_000)
    cloud.close()
  })
})
