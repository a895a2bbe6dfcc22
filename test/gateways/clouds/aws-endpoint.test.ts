import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { Place } from '../../../domain/clouds/cloud-account.ts'
import type { CloudTarget } from '../../../gateways/clouds/cloud.ts'
import { openedClouds } from '../../harness/clouds/opened-clouds.ts'
import {
  type ScriptedAws,
  scriptedAccount,
  startScriptedAws,
} from '../../harness/clouds/scripted-aws.ts'

const keys = { accessKeyId: 'AKIAACCOUNT', secretAccessKey: 'the-secret-of-the-account' }
const place = (region: string): Place => ({ region, service: '', state: 'ok', reason: null })

describe('the endpoint of an AWS account', () => {
  let aws: ScriptedAws
  beforeAll(async () => {
    aws = await startScriptedAws()
  })
  afterEach(() => aws.reset())
  afterAll(async () => aws.cloud.stop())

  const openAt = openedClouds({
    provider: 'aws',
    accountId: scriptedAccount,
    credentials: keys,
  })
  const open = async (more: Partial<CloudTarget> = {}) => openAt(aws.cloud, more)

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
    const cloud = await openAt({ url: 'http://127.0.0.1:9', port: 9 })
    const startedAt = performance.now()
    const { outcome, reason } = await cloud.validate()
    expect(outcome).toBe('unreachable')
    expect(reason).toMatch(/cannot be reached/)
    expect(performance.now() - startedAt).toBeLessThan(10_000)
  })
})
