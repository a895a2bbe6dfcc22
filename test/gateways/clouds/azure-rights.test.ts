import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { Place } from '../../../domain/clouds/cloud-account.ts'
import { allowsAction } from '../../../gateways/clouds/azure/allowed-actions.ts'
import { CloudFault } from '../../../gateways/clouds/cloud-fault.ts'
import { openedClouds } from '../../harness/clouds/opened-clouds.ts'
import {
  type ScriptedAzure,
  startScriptedAzure,
  subscription,
  tenant,
} from '../../harness/clouds/scripted-azure.ts'

const clientId = '11111111-2222-3333-4444-555555555555'
const whole: Place = { region: '', service: '', state: 'ok', reason: null }
const narrowRole = {
  actions: ['Microsoft.ResourceGraph/*', 'Microsoft.Compute/*/read'],
  notActions: [] as string[],
}

describe('the permissions list', () => {
  let azure: ScriptedAzure
  beforeAll(async () => {
    azure = await startScriptedAzure()
  })
  afterEach(() => azure.reset())
  afterAll(async () => azure.cloud.stop())
  const openAt = openedClouds({
    provider: 'azure',
    accountId: subscription,
    credentials: { tenantId: tenant, clientId, clientSecret: 'the-client-secret' },
  })

  test.each<[string, object[], boolean]>([
    ['Reader', [{ actions: ['*/read'], notActions: [] }], true],
    [
      'Contributor, whose exceptions are no reads',
      [{ actions: ['*'], notActions: ['Microsoft.Authorization/*/Write', 'x/y/action'] }],
      true,
    ],
    ['one of two roles', [narrowRole, { actions: ['*/read'], notActions: [] }], true],
    ['some types', [narrowRole], false],
    ['all but some', [{ actions: ['*'], notActions: ['Microsoft.KeyVault/*'] }], false],
    ['all but one', [{ actions: ['*/read'], notActions: ['Microsoft.Sql/servers/read'] }], false],
  ])('%s: what may not be read is told apart from what is gone', async (_, value, isFull) => {
    azure.handlers.permissions = () => ({ body: { value } })
    const cloud = await openAt(azure.cloud)
    const { coverage, places } = await cloud.places()
    expect(coverage).toBe(isFull ? 'full' : 'partial')
    const readable = (value as Array<typeof narrowRole>).map((role) => ({
      allowed: role.actions,
      denied: role.notActions,
    }))
    expect(places).toEqual([isFull ? whole : { ...whole, readable }])
    const { checks } = await cloud.validate()
    expect(checks[1]).toMatchObject({
      state: 'ok',
      reason: isFull ? null : expect.stringContaining('some types of resources'),
    })
  })

  const answer = (value: object[]) => {
    azure.handlers.permissions = () => ({ body: { value } })
  }
  const types = (count: number) => Array.from({ length: count }, (_, n) => `a.b/t${n}/read`)
  const withTypes = (count: number) => ({
    actions: [...narrowRole.actions, ...types(count)],
    notActions: ['a.b/t0/read'],
  })

  test.each<[string, object, string]>([
    ['5,001 patterns', withTypes(4_998), 'more than 5,000 patterns'],
    [
      'a pattern of 201 characters',
      { ...narrowRole, notActions: [`${'x'.repeat(196)}/read`] },
      'more than 200 characters',
    ],
  ])('%s: a fault of the answer, in a sync and in the check', async (_, role, words) => {
    answer([role])
    const cloud = await openAt(azure.cloud)
    const fault = await cloud.places().then(
      () => undefined,
      (error: unknown) => error,
    )
    expect(fault).toBeInstanceOf(CloudFault)
    expect(fault).toMatchObject({ kind: 'unreachable', message: expect.stringContaining(words) })
    const { checks } = await cloud.validate()
    expect(checks[1]).toMatchObject({ state: 'failed', reason: expect.stringContaining(words) })
  })

  const asPage = (value: object[], nextLink: unknown) => ({ body: { value, nextLink } })
  const linkTo = (origin: string, page: string) =>
    `${origin}/subscriptions/${subscription}/providers/Microsoft.Authorization/permissions?api-version=2022-04-01&$skipToken=${page}`
  const reader = { actions: ['*/read'], notActions: [] }

  test.each([
    ["Resource Manager's own address", async () => 'https://management.azure.com'],
    ["the account's endpoint", async () => azure.cloud.url],
  ])('a role on the second page counts; the link names %s', async (_, origin) => {
    const link = linkTo(await origin(), 'two')
    azure.handlers.permissions = ({ query }) =>
      query.get('$skipToken') === 'two' ? asPage([reader], null) : asPage([narrowRole], link)
    const cloud = await openAt(azure.cloud)
    expect(await cloud.places()).toMatchObject({ coverage: 'full' })
    expect((await cloud.validate()).checks[1]).toMatchObject({ state: 'ok', reason: null })
  })

  test.each([
    ['repeats', 'page_token', () => linkTo('https://management.azure.com', 'again')],
    ['is of another host', 'unreachable', () => linkTo('https://example.com', 'x')],
    ['is no address', 'unreachable', () => 'nowhere'],
    ['never ends', 'page_token', () => linkTo('https://management.azure.com', crypto.randomUUID())],
  ])('a link that %s: a fault of the answer', async (_, kind, link) => {
    azure.handlers.permissions = () => asPage([narrowRole], link())
    const cloud = await openAt(azure.cloud)
    await expect(cloud.places()).rejects.toMatchObject({ kind })
    expect((await cloud.validate()).checks[1]).toMatchObject({ state: 'failed' })
    expect(azure.cloud.asked.length).toBeLessThan(200)
  })

  test('5,000 patterns that are repeated, with as many of writes: each read is kept once', async () => {
    const role = withTypes(4_997)
    const { actions } = role
    const writes = actions.map((action) => action.replace(/read$/, 'write'))
    const repeated = { ...role, actions: [...actions, ...actions, ...writes.slice(1)] }
    answer([repeated, repeated, { actions: writes.slice(2), notActions: [] }])
    const { places } = await (await openAt(azure.cloud)).places()
    const readable = [{ allowed: actions, denied: role.notActions }]
    expect(places).toEqual([{ ...whole, readable }])
  })
})

test.each([
  ['*', 'Microsoft.ResourceGraph/resources/read', true],
  ['*/read', 'Microsoft.ResourceGraph/resources/read', true],
  ['microsoft.resourcegraph/*', 'Microsoft.ResourceGraph/resources/read', true],
  ['Microsoft.*/resources/*', 'Microsoft.ResourceGraph/resources/read', true],
  ['Microsoft.ResourceGraph/resources', 'Microsoft.ResourceGraph/resources/read', false],
  ['*/write', 'Microsoft.ResourceGraph/resources/read', false],
  ['*/read*/read', 'a/read', false],
])('%s allows %s: %s', (pattern, action, expected) => {
  expect(allowsAction([{ actions: [pattern], notActions: [] }], action)).toBe(expected)
  expect(allowsAction([{ actions: ['*'], notActions: [pattern] }], action)).toBe(!expected)
})
