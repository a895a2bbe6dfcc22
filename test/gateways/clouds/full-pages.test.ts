import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Place } from '../../../domain/clouds/cloud-account.ts'
import { openedClouds } from '../../harness/clouds/opened-clouds.ts'
import {
  type ScriptedAws,
  scriptedAccount,
  startScriptedAws,
} from '../../harness/clouds/scripted-aws.ts'
import {
  graphPage,
  type ScriptedAzure,
  startScriptedAzure,
  subscription,
  tenant,
} from '../../harness/clouds/scripted-azure.ts'
import { type ScriptedGoogle, startScriptedGoogle } from '../../harness/clouds/scripted-google.ts'

let aws: ScriptedAws
let azure: ScriptedAzure
let google: ScriptedGoogle
beforeAll(async () => {
  ;[aws, azure, google] = await Promise.all([
    startScriptedAws(),
    startScriptedAzure(),
    startScriptedGoogle(),
  ])
})
afterAll(async () => Promise.all([aws.cloud.stop(), azure.cloud.stop(), google.cloud.stop()]))

const openAws = openedClouds({
  provider: 'aws',
  accountId: scriptedAccount,
  credentials: { accessKeyId: 'AKIAACCOUNT', secretAccessKey: 'the-secret-of-the-account' },
})
const openAzure = openedClouds({
  provider: 'azure',
  accountId: subscription,
  credentials: { tenantId: tenant, clientId: crypto.randomUUID(), clientSecret: 'x'.repeat(20) },
})
const openGoogle = openedClouds({
  provider: 'gcp',
  accountId: 'project-1',
  credentials: {
    workloadIdentityProvider:
      'projects/1/locations/global/workloadIdentityPools/pool/providers/name',
  },
})

const place = (region: string): Place => ({ region, service: '', state: 'ok', reason: null })
const fault = { kind: 'unreachable', message: expect.stringContaining('more in a page') }
const numbers = (count: number) => Array.from({ length: count }, (_, n) => n)
const mapping = (n: number, tags = 0) => ({
  ResourceARN: `arn:aws:sqs:us-east-1:${scriptedAccount}:q${n}`,
  Tags: numbers(tags).map((tag) => ({ Key: `k${tag}`, Value: '' })),
})

test.each([
  ['more resources than asked for', 101, 0],
  ['112,500 tags', 100, 1_125],
])('AWS: a page of %s is refused', async (_, count, tags) => {
  aws.handlers['GetResources'] = () => ({
    body: { ResourceTagMappingList: numbers(count).map((n) => mapping(n, tags)) },
  })
  const cloud = await openAws(aws.cloud)
  await expect(cloud.resources(place('us-east-1'), null)).rejects.toMatchObject(fault)
  aws.handlers['GetResources'] = () => ({
    body: { ResourceTagMappingList: numbers(100).map((n) => mapping(n, 50)) },
  })
  expect((await cloud.resources(place('us-east-1'), null)).resources).toHaveLength(100)
})

test('Azure: a page of more resources than asked for is refused', async () => {
  azure.handlers.graph = () => graphPage(numbers(1_001).map((n) => ({ id: `/vm/${n}` })))
  const cloud = await openAzure(azure.cloud)
  await expect(cloud.resources(place(''), null)).rejects.toMatchObject(fault)
})

test('Google: a page of more resources than asked for is refused', async () => {
  google.handlers.search = () => ({
    body: { results: numbers(501).map((n) => ({ name: `//storage.googleapis.com/${n}` })) },
  })
  const cloud = await openGoogle(google.cloud)
  await expect(cloud.resources(place(''), null)).rejects.toMatchObject(fault)
})
