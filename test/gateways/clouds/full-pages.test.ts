import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Place } from '../../../domain/clouds/cloud-account.ts'
import type { Cloud, ResourcePage } from '../../../gateways/clouds/cloud.ts'
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
const fault = { kind: 'unreachable', message: expect.stringMatching(/more in an? (page|answer)/) }
const numbers = (count: number) => Array.from({ length: count }, (_, n) => n)
const mapping = (n: number, tags = 0) => ({
  ResourceARN: `arn:aws:sqs:us-east-1:${scriptedAccount}:q${n}`,
  Tags: numbers(tags).map((tag) => ({ Key: `k${tag}`, Value: '' })),
})

/** Tags of 50 KB: a page of 100 with them is larger than is read, and so is one of 25. */
const largeTags = numbers(50).map((n) => ({ Key: `k${n}`, Value: 'x'.repeat(1_000) }))
/** As many as the request asks for, of 130 in all, from the place that its token names. */
const pageOf = (asked: unknown, token: unknown) => {
  const from = Number(token || 0)
  const found = numbers(130).slice(from, from + Number(asked))
  const end = from + found.length
  return { found, next: end < 130 ? String(end) : '' }
}
async function listed(cloud: Cloud, region: string): Promise<string[]> {
  const ids: string[] = []
  let cursor: string | null = null
  do {
    const page: ResourcePage = await cloud.resources(place(region), cursor)
    ids.push(...page.resources.map(({ cloudId }) => cloudId))
    cursor = page.next
  } while (cursor !== null)
  return ids
}

test('AWS: pages that are larger than is read are asked for with fewer resources', async () => {
  const sizes: number[] = []
  aws.handlers['GetResources'] = ({ ResourcesPerPage, PaginationToken }) => {
    sizes.push(Number(ResourcesPerPage))
    const { found, next } = pageOf(ResourcesPerPage, PaginationToken)
    const list = found.map((n) => ({ ...mapping(n), Tags: largeTags }))
    return { body: { ResourceTagMappingList: list, PaginationToken: next } }
  }
  const cloud = await openAws(aws.cloud)
  expect(await listed(cloud, 'us-east-1')).toEqual(numbers(130).map((n) => mapping(n).ResourceARN))
  // Each is asked for once with what is too many, and the smaller size is kept.
  expect(sizes.slice(0, 4)).toEqual([100, 25, 6, 6])
  expect(new Set(sizes.slice(2))).toEqual(new Set([6]))
})

test('Azure and Google: the same', async () => {
  const labels = Object.fromEntries(largeTags.map(({ Key, Value }) => [Key, Value]))
  azure.handlers.graph = ({ body }) => {
    const { options } = JSON.parse(body)
    const { found, next } = pageOf(options.$top, options.$skipToken)
    const rows = found.map((n) => ({ id: `/vm/${n}`, tags: labels }))
    return next ? graphPage(rows, next) : graphPage(rows)
  }
  const ofAzure = await listed(await openAzure(azure.cloud), '')
  expect(ofAzure).toEqual(numbers(130).map((n) => `/vm/${n}`))
  google.handlers.search = ({ query }) => {
    const { found, next } = pageOf(query.get('pageSize'), query.get('pageToken'))
    const results = found.map((n) => ({ name: `//storage.googleapis.com/${n}`, labels }))
    return { body: { results, nextPageToken: next } }
  }
  const ofGoogle = await listed(await openGoogle(google.cloud), '')
  expect(ofGoogle).toEqual(numbers(130).map((n) => `//storage.googleapis.com/${n}`))
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
