import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { openedClouds } from '../../harness/clouds/opened-clouds.ts'
import {
  graphPage,
  type ScriptedAzure,
  startScriptedAzure,
  subscription,
  tenant,
} from '../../harness/clouds/scripted-azure.ts'

type Role = { actions: string[]; notActions: string[] }
const role = (...actions: string[]): Role => ({
  actions: ['Microsoft.ResourceGraph/*', ...actions],
  notActions: [],
})
const compute = role('Microsoft.Compute/*/read')
const network = role('Microsoft.Network/*/read')
const reader: Role = { actions: ['*/read'], notActions: [] }
const except = (role: Role, ...notActions: string[]): Role => ({ ...role, notActions })

describe('roles that change while an Azure account is listed', () => {
  let azure: ScriptedAzure
  beforeAll(async () => {
    azure = await startScriptedAzure()
  })
  afterEach(() => azure.reset())
  afterAll(async () => azure.cloud.stop())
  const open = openedClouds({
    provider: 'azure',
    accountId: subscription,
    credentials: { tenantId: tenant, clientId: tenant, clientSecret: 'the-client-secret' },
  })
  const give = (roles: Role[]) => {
    azure.handlers.permissions = () => ({ body: { value: roles } })
  }
  /** Lists two pages. The rights change after the first. */
  const list = async (before: Role[], after: Role[]) => {
    give(before)
    const pages = [graphPage([{ id: '/a' }], 'page 2'), graphPage([{ id: '/b' }])]
    azure.handlers.graph = () => pages.shift() ?? graphPage([])
    const cloud = await open(azure.cloud)
    const [place] = (await cloud.places()).places
    if (!place) throw new Error('Azure has one place.')
    const first = await cloud.resources(place, null)
    give(after)
    return cloud.resources(place, first.next)
  }

  test.each<[string, Role[], Role[]]>([
    ['one of two', [compute, network], [compute]],
    ['that which read all', [reader, compute], [compute]],
    ['an exception more', [except(compute)], [except(compute, 'Microsoft.Compute/disks/read')]],
    ['an exception from all', [reader], [except(reader, 'Microsoft.Compute/disks/read')]],
    ['one type less', [role('a/b/read', 'a/c/read')], [role('a/b/read')]],
  ])('%s was taken: what is left out would count as gone', async (_, before, after) => {
    await expect(list(before, after)).rejects.toMatchObject({
      kind: 'changed',
      message: expect.stringContaining('may read fewer types'),
    })
  })

  test('all were taken: the fault names the right', async () => {
    await expect(
      list(
        [compute],
        [role()].map(() => ({ ...network, actions: ['x/y/read'] })),
      ),
    ).rejects.toMatchObject({
      kind: 'denied',
      missing: ['Microsoft.ResourceGraph/resources/read'],
    })
  })

  test.each<[string, Role[], Role[]]>([
    ['none', [compute, network], [compute, network]],
    [
      'none, and the answer has another order and case',
      [compute, network],
      [
        network,
        { ...compute, actions: compute.actions.toReversed().map((name) => name.toUpperCase()) },
      ],
    ],
    ['one was added', [compute], [network, compute]],
    ['one that reads all was added', [compute], [reader]],
    ['one beside one that reads all was taken', [reader, compute], [reader]],
  ])('%s: the last page is taken', async (_, before, after) => {
    expect(await list(before, after)).toMatchObject({ resources: [{ cloudId: '/b' }], next: null })
  })

  test('the rights are asked for before the first page and after the last one alone', async () => {
    await list([reader], [reader])
    const asked = azure.cloud.asked.filter(({ path }) => path.endsWith('/permissions'))
    expect(asked).toHaveLength(2)
  })
})
