import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { Place } from '../../../domain/clouds/cloud-account.ts'
import type { CloudTarget } from '../../../gateways/clouds/cloud.ts'
import { openedClouds } from '../../harness/clouds/opened-clouds.ts'
import {
  refusal,
  type ScriptedAws,
  scriptedAccount,
  startScriptedAws,
} from '../../harness/clouds/scripted-aws.ts'

const credentials = { accessKeyId: 'AKIAACCOUNT', secretAccessKey: 'the-secret-of-the-account' }
const place = (region: string): Place => ({ region, service: '', state: 'ok', reason: null })
const mapping = (ResourceARN: string, tags: Record<string, string> = {}) => ({
  ResourceARN,
  Tags: Object.entries(tags).map(([Key, Value]) => ({ Key, Value })),
})

describe('what of the answers of AWS is not taken', () => {
  let aws: ScriptedAws
  beforeAll(async () => {
    aws = await startScriptedAws()
  })
  afterEach(() => aws.reset())
  afterAll(async () => aws.cloud.stop())

  const openAt = openedClouds({ provider: 'aws', accountId: scriptedAccount, credentials })
  const open = async (more: Partial<CloudTarget> = {}) => openAt(aws.cloud, more)

  test('credentials of another account list nothing: all of this one would count as gone', async () => {
    const cloud = await open({ accountId: '210987654321' })
    await expect(cloud.places()).rejects.toMatchObject({
      kind: 'credentials',
      message: expect.stringContaining('credentials of account 123456789012, not of 210987654321'),
    })
  })

  test('the tagging API: what belongs to another account is left out', async () => {
    const own = `arn:aws:sqs:us-east-1:${scriptedAccount}:own`
    const all = [own, 'arn:aws:sqs:us-east-1:210987654321:shared', 'arn:aws:s3:::of-no-account']
    aws.handlers['GetResources'] = () => ({
      body: { ResourceTagMappingList: all.map((arn) => mapping(arn)) },
    })
    const { resources } = await (await open()).resources(place('us-east-1'), null)
    expect(resources.map(({ cloudId }) => cloudId)).toEqual([own, 'arn:aws:s3:::of-no-account'])
  })

  test('a page token that expired: the reason does not promise more than the next sync', async () => {
    aws.handlers['GetResources'] = ({ PaginationToken }) =>
      PaginationToken
        ? refusal('PaginationTokenExpiredException', 'expired')
        : { body: { ResourceTagMappingList: [], PaginationToken: 'a' } }
    const cloud = await open()
    const { next } = await cloud.resources(place('us-east-1'), null)
    await expect(cloud.resources(place('us-east-1'), next)).rejects.toMatchObject({
      kind: 'page_token',
      message:
        'AWS no longer accepts the page token, so the list is not complete. The next sync begins it anew.',
    })
  })

  test('a resource of more than 1 MiB is not read', async () => {
    const large = mapping('arn:aws:sns:us-east-1::t', { large: 'x'.repeat(2 ** 20) })
    aws.handlers['GetResources'] = () => ({ body: { ResourceTagMappingList: [large] } })
    await expect((await open()).resources(place('us-east-1'), null)).rejects.toMatchObject({
      kind: 'unreachable',
    })
  }, 60_000)
})
