import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { workspaceResources } from '../../../store/clouds/workspace-resources.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { lockedState } from './locked-state.ts'
import { runInPhase } from './run-in-phase.ts'
import { lockInfo, stateClient, stateOf } from './state-client.ts'
import { bucket, withBuckets } from './with-buckets.ts'

const today = new Date().toISOString().slice(0, 10)
describe('the resources that a workspace owns by its state', () => {
  let harness: Harness
  beforeAll(async () => {
    harness = await createHarness()
  })
  afterAll(async () => harness.close())

  const made = async () => {
    const locked = await lockedState(harness)
    const { org, client, info, workspace } = locked
    return {
      ...locked,
      write: async (state: unknown) => {
        const answer = await client.write(state, info.ID)
        expect(answer.statusCode, answer.body).toBe(200)
      },
      rows: async () => rowsOf(org.id, workspace.id),
      ownerOf: async (cloudId: string, day = today) => ownerOf(org.id, cloudId, day),
    }
  }
  const rowsOf = async (organizationId: number, workspaceId: number) =>
    harness.deps.store
      .platform('workspace_resources')
      .where({ organizationId, workspaceId })
      .orderBy('id')
      .select()
  const ownerOf = async (organizationId: number, cloudId: string, day: string) =>
    harness.deps.store.tenant(organizationId, async (tenant) =>
      (await workspaceResources(tenant).ownersOf([cloudId], day)).get(cloudId),
    )
  type Row = { cloudId: string; heldTo: unknown; alsoHeld: boolean }
  const openOf = (rows: Row[]) =>
    rows
      .filter(({ heldTo }) => heldTo === null)
      .map(({ cloudId }) => cloudId)
      .toSorted()

  test('a person’s tofu: what the state holds is noted as a difference, an unchanged state writes no row', async () => {
    const { write, rows, ownerOf: owner, workspace } = await made()
    await write(withBuckets(1, ['one', 'two'], { region: 'eu-west-1', password: 'hunter2' }))
    const first = await rows()
    expect(openOf(first)).toEqual([bucket('one'), bucket('two')])
    expect(first[0]).toMatchObject({
      type: 'aws_s3_bucket',
      provider: 'aws',
      attributes: { region: 'eu-west-1' },
    })
    expect(await owner(bucket('one'))).toEqual({
      workspaceId: workspace.id,
      workspaceName: workspace.name,
      address: 'aws_s3_bucket.b["one"]',
    })

    await write(withBuckets(2, ['one', 'two'], { region: 'eu-west-1' }))
    expect(await rows()).toEqual(first)

    await write(withBuckets(3, ['two', 'three'], { region: 'eu-west-1' }))
    const third = await rows()
    expect(openOf(third)).toEqual([bucket('three'), bucket('two')])
    expect(third).toHaveLength(3)
    expect(third.find(({ cloudId }) => cloudId === bucket('two'))).toEqual(
      first.find(({ cloudId }) => cloudId === bucket('two')),
    )
    // The day on which it was given up still counts.
    expect(await owner(bucket('one'))).toBeDefined()
    expect(await owner(bucket('one'), '2999-01-01')).toBeUndefined()

    await write(withBuckets(4, []))
    expect(openOf(await rows())).toEqual([])
  })

  test('a resized resource begins a new row, so that each day has its own size', async () => {
    const { write, rows } = await made()
    await write(withBuckets(1, ['one'], { instance_type: 't3.micro' }))
    await write(withBuckets(2, ['one'], { instance_type: 't3.large' }))
    const all = await rows()
    expect(all.map(({ attributes }) => attributes.instance_type)).toEqual(['t3.micro', 't3.large'])
    expect(all.map(({ heldTo }) => heldTo === null)).toEqual([false, true])
  })

  test('restore: what the restored state holds is held again', async () => {
    const { write, rows, owner, client, info, url } = await made()
    await write(withBuckets(1, ['one']))
    await write(withBuckets(2, ['two']))
    await client.unlock(info)
    expect((await owner.post(`${url}/state/versions/1/restore`)).statusCode).toBe(201)
    expect(openOf(await rows())).toEqual([bucket('one')])
    const again = await owner.post(`${url}/state/versions/2/restore`, { newLineage: true })
    expect(again.statusCode).toBe(201)
    expect(openOf(await rows())).toEqual([bucket('two')])
  })

  test('an apply: what it writes is held; what it may not write is kept aside and owns nothing', async () => {
    const org = await harness.organization()
    const owner = await org.user('Owner')
    const workspace = await org.workspace({ by: owner })
    const place = { organizationId: org.id, workspaceId: workspace.id, authorUserId: owner.id }
    const run = await runInPhase(harness.deps, place, 'applying')
    const client = stateClient(harness.app, workspace, run.token)
    const info = lockInfo()
    await client.lock(info)
    expect((await client.write(withBuckets(1, ['one']), info.ID)).statusCode).toBe(200)
    expect((await client.write(withBuckets(2, ['one', 'two']), 'other')).statusCode).toBe(409)
    expect(openOf(await rowsOf(org.id, workspace.id))).toEqual([bucket('one')])
  })

  test('large: 3,000 resources in a state that is split outside, one of them exchanged', async () => {
    const { write, rows } = await made()
    const names = Array.from({ length: 3_000 }, (_, n) => `bucket-${n}-${'x'.repeat(60)}`)
    await write(withBuckets(1, names))
    expect(openOf(await rows())).toEqual(names.map(bucket).toSorted())
    await write(withBuckets(2, [...names.slice(1), 'new']))
    const after = await rows()
    expect(after).toHaveLength(3_001)
    expect(openOf(after)).toEqual([...names.slice(1), 'new'].map(bucket).toSorted())
  })

  test('hostile states: ids of 2,000 characters, of 2,001, twice, of wrong types, nested deeply', async () => {
    const { write, rows } = await made()
    const emoji = `arn:aws:s3:::${'😀'.repeat(900)}`
    const long = bucket('x'.repeat(1_987))
    const ids = [
      emoji,
      long,
      long,
      `${long}y`,
      17,
      ['arn:aws:s3:::list'],
      { arn: 1 },
      null,
      'arn:aws:s3:::a\u0000',
    ]
    const instances = ids.map((arn, n) => ({ index_key: n, attributes: { arn, tier: arn } }))
    const resource = { mode: 'managed', type: 'aws_s3_bucket', name: 'b', provider: 'p' }
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`
    const state = JSON.stringify(
      stateOf(1, {
        resources: [
          { ...resource, instances },
          { ...resource, instances: 'none' },
          { ...resource, type: 'terraform_data', instances: [{ attributes: { output: 'DEEP' } }] },
          { ...resource, mode: 'data', instances: [{ attributes: { arn: bucket('data') } }] },
          null,
        ],
      }),
    ).replace('"DEEP"', deep)
    await write(state)
    expect(openOf(await rows())).toEqual([long, emoji].toSorted())
  })

  test('an id, an address and a size with the value of a sensitive variable are not kept', async () => {
    const { write, rows, owner, url } = await made()
    const variable = { key: 'name', value: 'secret-of-one', kind: 'terraform', sensitive: true }
    expect((await owner.post(`${url}/variables`, variable)).statusCode).toBe(201)
    await write(withBuckets(1, ['secret-of-one']))
    expect(await rows()).toEqual([])
    const small = stateOf(2, {
      resources: [
        {
          mode: 'managed',
          type: 'aws_s3_bucket',
          name: 'b',
          provider: 'p',
          instances: [
            {
              index_key: 'secret-of-one',
              attributes: { arn: bucket('two'), tier: 'secret-of-one' },
            },
          ],
        },
      ],
    })
    // Padded, so that it is split in a process of its own, which is told of the value.
    await write({ ...small, padding: 'x'.repeat(100_000) })
    const kept = await rows()
    expect(openOf(kept)).toEqual([bucket('two')])
    expect(JSON.stringify(kept)).not.toContain('secret-of-one')
  })

  test('two states hold one id: it is the later one’s, and both workspaces show a warning', async () => {
    const { write, owner, org, workspace, url } = await made()
    await write(withBuckets(1, ['shared', 'own']))
    expect((await owner.get(url)).json().workspace.warnings).toEqual([])
    const other = await org.workspace({ by: owner })
    const client = stateClient(harness.app, other, await owner.token())
    const info = lockInfo()
    await client.lock(info)
    expect((await client.write(withBuckets(1, ['shared']), info.ID)).statusCode).toBe(200)

    expect(await ownerOf(org.id, bucket('shared'), today)).toMatchObject({ workspaceId: other.id })
    const warning = (of: { id: number; name: string }, isOwner: boolean) => ({
      code: 'resources_held_twice',
      total: 1,
      resources: [
        {
          cloudId: bucket('shared'),
          address: 'aws_s3_bucket.b["shared"]',
          workspace: { id: of.id, name: of.name },
          isOwner,
        },
      ],
    })
    expect((await owner.get(url)).json().workspace.warnings).toEqual([warning(other, false)])
    const { workspaces } = (await owner.get('/api/workspaces')).json()
    expect(workspaces.map(({ warnings }: { warnings: unknown }) => warnings)).toEqual([
      [warning(other, false)],
      [warning(workspace, true)],
    ])

    expect((await client.write(withBuckets(2, []), info.ID)).statusCode).toBe(200)
    expect((await owner.get(url)).json().workspace.warnings).toEqual([])
    expect(await ownerOf(org.id, bucket('shared'), '2999-01-01')).toMatchObject({
      workspaceId: workspace.id,
    })
  })

  test('two organizations may hold one id: neither learns of the other', async () => {
    const [one, two] = [await made(), await made()]
    await one.write(withBuckets(1, ['same']))
    await two.write(withBuckets(1, ['same']))
    expect(await one.ownerOf(bucket('same'))).toMatchObject({ workspaceId: one.workspace.id })
    expect(await two.ownerOf(bucket('same'))).toMatchObject({ workspaceId: two.workspace.id })
    expect((await one.owner.get(one.url)).json().workspace.warnings).toEqual([])
  })
})
