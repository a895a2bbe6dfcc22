import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { listedResources } from '../../../store/clouds/listed-resources.ts'
import { connectedAccount, resourceRows } from '../../harness/clouds/cloud-rows.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { stateOf } from '../workspaces/state-client.ts'
import { lockedState } from '../workspaces/locked-state.ts'

let harness: Harness
beforeAll(async () => {
  harness = await createHarness()
})
afterAll(async () => harness.close())

const natId = 'nat-0dd07f56223a89b19'
const nat = `arn:aws:ec2:eu-west-1:123456789012:natgateway/${natId}`
const freeNat = 'arn:aws:ec2:eu-west-1:123456789012:natgateway/nat-0ff07f56223a89b10'
const oldNat = 'arn:aws:ec2:eu-west-1:123456789012:natgateway/nat-0dd07f56'
const pool = '//container.googleapis.com/projects/p/zones/europe-west1-b/clusters/c/nodePools/n'
const cluster = '//container.googleapis.com/projects/p/locations/europe-west1-b/clusters/c'
const secret = '//secretmanager.googleapis.com/projects/123456789012/secrets/s'
const otherZone =
  '//container.googleapis.com/projects/p/zones/europe-west1-c/clusters/c/nodePools/n'
const regionPool =
  '//container.googleapis.com/projects/p/locations/europe-west1/clusters/c/nodePools/n'

const resource = (type: string, attributes: Record<string, unknown>) => ({
  mode: 'managed',
  type,
  name: 'a',
  provider: `provider["registry.opentofu.org/hashicorp/${type.split('_')[0]}"]`,
  instances: [{ attributes }],
})

/** A workspace with four resources that its clouds list by other ids, beside some that it does not hold. */
async function world() {
  const made = await lockedState(harness)
  const { org, owner, client, info, workspace } = made
  const state = stateOf(1, {
    resources: [
      resource('aws_nat_gateway', { id: natId }),
      resource('aws_ec2_transit_gateway', { id: 'tgw-0dd07f56' }),
      resource('google_container_node_pool', {
        id: 'projects/p/locations/europe-west1-b/clusters/c/nodePools/n',
      }),
      resource('google_container_cluster', {
        id: 'projects/p/locations/europe-west1-b/clusters/c',
        self_link: 'https://container.googleapis.com/v1/projects/p/zones/europe-west1-b/clusters/c',
      }),
      resource('google_secret_manager_secret', {
        id: 'projects/p/secrets/s',
        name: 'projects/123456789012/secrets/s',
      }),
    ],
  })
  expect((await client.write(state, info.ID)).statusCode).toBe(200)
  const aws = { organizationId: org.id, accountId: await connectedAccount(harness, org.id) }
  const google = {
    organizationId: org.id,
    accountId: await connectedAccount(harness, org.id, 'gcp'),
    provider: 'gcp' as const,
  }
  await resourceRows(harness, aws, [
    { cloudId: nat, name: 'egress' },
    { cloudId: freeNat },
    { cloudId: oldNat },
    { cloudId: 'arn:aws:ec2:eu-west-1:123456789012:transit-gateway/tgw-0dd07f56' },
    { cloudId: `arn:aws:s3:::${natId}` },
  ])
  await resourceRows(
    harness,
    google,
    [pool, cluster, secret, otherZone, regionPool].map((cloudId) => ({ cloudId })),
  )
  type Resource = { cloudId: string; workspace: { id: number; address: string } | null }
  const list = async (query: string): Promise<Resource[]> => {
    const found: Resource[] = []
    let cursor = ''
    do {
      const answer = await owner.get(`/api/cloud/resources?${query}${cursor}`)
      expect(answer.statusCode, answer.body).toBe(200)
      const page: { resources: Resource[]; nextCursor: string | null } = answer.json()
      found.push(...page.resources)
      cursor = page.nextCursor === null ? '' : `&cursor=${page.nextCursor}`
    } while (cursor !== '')
    return found
  }
  const ids = async (query: string) => (await list(query)).map(({ cloudId }) => cloudId).toSorted()
  return { ...made, aws, google, list, ids, workspace }
}

const managed = [nat, pool, cluster, secret].toSorted()

describe('resources that a state has by another id than the inventory', () => {
  test('200: they are their workspace’s in the list, its filters and counts', async () => {
    const { owner, list, ids, workspace } = await world()
    const shown = (await list('limit=200')).map(({ cloudId, workspace: by }) => [cloudId, by])
    const by = (address: string) => ({ id: workspace.id, name: workspace.name, address })
    expect(Object.fromEntries(shown.filter(([, holder]) => holder !== null))).toEqual({
      [nat]: by('aws_nat_gateway.a'),
      [pool]: by('google_container_node_pool.a'),
      [cluster]: by('google_container_cluster.a'),
      [secret]: by('google_secret_manager_secret.a'),
    })
    for (const query of ['managed=true', `workspaceId=${workspace.id}`])
      for (const limit of [1, 2, 200])
        expect([query, limit, await ids(`${query}&limit=${limit}`)]).toEqual([
          query,
          limit,
          managed,
        ])
    expect(await ids('managed=true&provider=aws')).toEqual([nat])
    expect(await ids('managed=true&q=egress')).toEqual([nat])
    const free = await ids('managed=false')
    expect(free).toHaveLength(6)
    expect(free.filter((cloudId) => managed.includes(cloudId))).toEqual([])
    const summary = (await owner.get('/api/cloud/resources/summary')).json()
    expect([summary.managed, summary.unmanaged]).toEqual([4, 6])
  })

  test('200: no import block is written for them', async () => {
    const { owner, workspace } = await world()
    const { body } = await owner.get('/api/cloud/resources/imports')
    expect(body).toContain(
      `# "${nat}" is "aws_nat_gateway.a" of the workspace "${workspace.name}".`,
    )
    expect(body).toContain(`# "${pool}" is "google_container_node_pool.a"`)
    const { body: free } = await owner.get('/api/cloud/resources/imports?managed=false')
    for (const text of [body, free]) {
      const blocks = [...text.matchAll(/to = aws_nat_gateway\..*\n {2}id = "(.*)"/g)]
      expect(blocks.map(([, id = '']) => id).toSorted()).toEqual([
        'nat-0dd07f56',
        'nat-0ff07f56223a89b10',
      ])
      expect(text.match(/to = google_container_node_pool/g)).toHaveLength(2)
    }
  })

  test('200: the workspace’s list of its state has the listed ids', async () => {
    const { owner, url } = await world()
    const { resources } = (await owner.get(`${url}/state/resources`)).json()
    const shown = new Map(
      resources.map(({ address, cloudId }: Record<string, unknown>) => [address, cloudId]),
    )
    expect(shown.get('aws_nat_gateway.a')).toBe(nat)
    expect(shown.get('google_container_node_pool.a')).toBe(pool)
    expect(shown.get('aws_ec2_transit_gateway.a')).toBeNull()
  })

  test('200: another organization, and a resource that is gone, are not counted', async () => {
    const { org, aws, workspace } = await world()
    const stranger = await harness.organization()
    const theirs = await stranger.user('Owner')
    const accountId = await connectedAccount(harness, stranger.id)
    await resourceRows(harness, { organizationId: stranger.id, accountId }, [{ cloudId: nat }])
    const [shown] = (await theirs.get('/api/cloud/resources')).json().resources
    expect(shown).toMatchObject({ cloudId: nat, workspace: null })
    expect((await theirs.get('/api/cloud/resources?managed=true')).json().resources).toEqual([])
    expect((await theirs.get('/api/cloud/resources/summary')).json().managed).toBe(0)

    await harness.deps.store
      .platform('cloud_resources')
      .where({ organizationId: org.id, cloudAccountId: aws.accountId })
      .update({ state: 'gone' })
    const listed = await harness.deps.store.tenant(org.id, async (tenant) =>
      listedResources(tenant, workspace.id, ['aws_nat_gateway.a', 'google_container_cluster.a']),
    )
    expect([...listed]).toEqual([['google_container_cluster.a', cluster]])
  })
})

test('200: of two workspaces that hold it by different ids, the one that began later is the owner', async () => {
  const { org, owner, ids, list, workspace } = await world()
  const later = await org.workspace({ by: owner })
  const row = {
    organizationId: org.id,
    workspaceId: later.id,
    cloudId: nat,
    address: 'terraform_data.nat',
    type: 'terraform_data',
    provider: 'aws',
    attributes: '{}',
    heldFrom: '2090-01-01',
  }
  await harness.deps.store.platform('workspace_resources').insert(row)
  expect(await ids(`workspaceId=${later.id}`)).toEqual([nat])
  expect(await ids(`workspaceId=${workspace.id}`)).toEqual(managed.filter((id) => id !== nat))
  const [shown] = await list(`q=${natId}&service=s3&managed=true`)
  expect(shown?.workspace).toMatchObject({ id: later.id, address: 'terraform_data.nat' })
  const summary = (await owner.get('/api/cloud/resources/summary')).json()
  expect([summary.managed, summary.unmanaged]).toEqual([4, 6])
})

test('200: behind more resources than a page of the walk, each is found once', async () => {
  const { org, aws, workspace, ids } = await world()
  const many = 1_500
  const rows = Array.from({ length: many }, (_, n) => ({ cloudId: `arn:aws:s3:::held-${n}` }))
  await resourceRows(harness, aws, rows)
  await harness.deps.store.platform('workspace_resources').insert(
    rows.map(({ cloudId }) => ({
      organizationId: org.id,
      workspaceId: workspace.id,
      cloudId,
      address: 'aws_s3_bucket.b',
      type: 'aws_s3_bucket',
      provider: 'aws',
      attributes: '{}',
      heldFrom: '2026-01-01',
    })),
  )
  for (const query of ['managed=true', `workspaceId=${workspace.id}`]) {
    const found = await ids(`${query}&limit=200`)
    expect(found).toHaveLength(many + managed.length)
    expect(new Set(found).size).toBe(found.length)
    expect(found.filter((id) => managed.includes(id))).toEqual(managed)
    expect(await ids(`${query}&provider=gcp&limit=1`)).toEqual([pool, cluster, secret].toSorted())
  }
})
