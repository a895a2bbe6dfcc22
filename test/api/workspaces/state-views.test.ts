import { unwrap } from '../../../store/driver/tenant.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { connectedAccount, resourceRows } from '../../harness/clouds/cloud-rows.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { lockedState } from './locked-state.ts'
import { lockInfo, stateClient, stateOf } from './state-client.ts'
import { runInPhase } from './run-in-phase.ts'

describe('resources, outputs and versions of a state', () => {
  let harness: Harness
  beforeAll(async () => {
    harness = await createHarness()
  })
  afterAll(async () => harness.close())

  const made = async (...states: unknown[]) => {
    const { client, info, ...locked } = await lockedState(harness)
    for (const state of states) expect((await client.write(state, info.ID)).statusCode).toBe(200)
    await client.unlock(info)
    return { client, ...locked }
  }

  test('200: a Viewer sees resources without attributes, and no sensitive outputs', async () => {
    const { org, url } = await made(stateOf(1))
    const [viewer, deployer] = [await org.user('Viewer'), await org.user('Deployer')]
    const resources = await viewer.get(`${url}/state/resources`)
    expect(resources.json()).toMatchObject({ serial: 1, nextCursor: null })
    expect(resources.json().resources.map(({ address }: { address: string }) => address)).toEqual([
      'module.net.data.terraform_data.read',
      'terraform_data.one["a"]',
      'terraform_data.one["b"]',
    ])
    expect(resources.body).not.toContain('attribute-secret')
    const outputs = await viewer.get(`${url}/outputs`)
    expect(outputs.json().outputs).toEqual([
      { name: 'hidden', type: 'string', value: null, sensitive: true },
      { name: 'open', type: 'string', value: 'serial 1', sensitive: false },
    ])
    expect((await deployer.get(`${url}/outputs`)).json().outputs[0].value).toBe('hunter2')
    for (const path of ['/state', '/state/versions', '/state/versions/1'])
      expect((await viewer.get(`${url}${path}`)).statusCode).toBe(403)
  })

  test('200: with the id of a resource that a cloud account lists', async () => {
    const listed = 'arn:aws:s3:::listed'
    const instances = [listed, 'arn:aws:s3:::unknown', 'arn:aws:s3:::gone'].map((arn) => ({
      index_key: arn.slice(13),
      attributes: { arn },
    }))
    const [type, provider] = ['aws_s3_bucket', 'provider["registry.opentofu.org/hashicorp/aws"]']
    const resources = [{ mode: 'managed', type, name: 'b', provider, instances }]
    const { org, owner, url } = await made(stateOf(1, { resources }))
    const at = { organizationId: org.id, accountId: await connectedAccount(harness, org.id) }
    await resourceRows(harness, at, [
      { cloudId: listed },
      { cloudId: 'arn:aws:s3:::gone', state: 'gone' },
    ])
    const stranger = await harness.organization()
    const foreign = await connectedAccount(harness, stranger.id)
    await resourceRows(harness, { organizationId: stranger.id, accountId: foreign }, [
      { cloudId: 'arn:aws:s3:::unknown' },
    ])
    const answer = (await owner.get(`${url}/state/resources`)).json()
    expect(
      answer.resources.map(({ address, cloudId }: Record<string, unknown>) => [address, cloudId]),
    ).toEqual([
      ['aws_s3_bucket.b["gone"]', null],
      ['aws_s3_bucket.b["listed"]', listed],
      ['aws_s3_bucket.b["unknown"]', null],
    ])
  })

  test('200: resources are paged by address', async () => {
    const { owner, url } = await made(stateOf(1))
    const first = (await owner.get(`${url}/state/resources?limit=2`)).json()
    const next = `${url}/state/resources?limit=2&cursor=${first.nextCursor}`
    const rest = (await owner.get(next)).json()
    expect([first.resources.length, rest.resources.length, rest.nextCursor]).toEqual([2, 1, null])
  })

  test('200: a workspace without a state has neither resources nor outputs', async () => {
    const { owner, url } = await made()
    expect((await owner.get(`${url}/outputs`)).json()).toMatchObject({ outputs: [] })
    const empty = { serial: null, resources: [], omittedResources: 0, nextCursor: null }
    expect((await owner.get(`${url}/state/resources`)).json()).toEqual(empty)
  })

  test('201: a restored state is a new version, and large numbers keep their digits', async () => {
    const text = JSON.stringify(stateOf(1)).replace('"hunter2"', '12345678901234567890')
    const { org, owner, client, url } = await made(text, stateOf(2))
    const deployer = await org.user('Deployer')
    expect((await deployer.post(`${url}/state/versions/1/restore`)).statusCode).toBe(403)
    const restored = await owner.post(`${url}/state/versions/1/restore`)
    expect(restored.statusCode).toBe(201)
    expect(restored.json().version).toMatchObject({ serial: 3, lineage: 'lineage-one' })
    expect((await client.read()).body).toBe(text.replace('"serial":1,', '"serial":3,'))
    const { versions } = (await owner.get(`${url}/state/versions?limit=2`)).json()
    expect(versions.map(({ serial }: { serial: number }) => serial)).toEqual([3, 2])
    expect((await owner.get(`${url}/state/versions/2`)).json().serial).toBe(2)
  })

  test('201: a restore with a new lineage resets a serial at its maximum', async () => {
    const org = await harness.organization()
    const owner = await org.user('Owner')
    const workspace = await org.workspace({ by: owner })
    const client = stateClient(harness.app, workspace, await owner.token())
    const info = lockInfo()
    await client.lock(info)
    const last = Number.MAX_SAFE_INTEGER
    const refused = await client.write(stateOf(last), info.ID)
    expect([refused.statusCode, refused.json().code]).toEqual([409, 'serial_too_high'])
    expect((await client.write(stateOf(1), info.ID)).statusCode).toBe(200)
    expect((await client.write(stateOf(1_002), info.ID)).json().code).toBe('serial_jump')
    await client.unlock(info)
    // A version from before serials were limited.
    await harness.deps.store.tenant(org.id, async (tenant) =>
      unwrap(tenant)
        .db('state_versions')
        .where({ workspace_id: workspace.id })
        .update({ serial: last }),
    )
    const url = `${workspace.url}/state/versions`
    expect((await owner.post(`${url}/${last}/restore`)).json().code).toBe('serial_too_high')
    const deployer = await org.user('Deployer')
    const body = { newLineage: true }
    expect((await deployer.post(`${url}/${last}/restore`, body)).statusCode).toBe(403)
    const restored = await owner.post(`${url}/${last}/restore`, body)
    expect(restored.statusCode, restored.body).toBe(201)
    const { lineage, serial } = restored.json().version
    expect([serial, lineage === 'lineage-one']).toEqual([1, false])
    expect((await owner.get(workspace.url)).json().workspace.stateSerial).toBe(1)
    const now = (await client.read()).json()
    expect(now).toMatchObject({ serial: 1, lineage, resources: stateOf(1).resources })
    // New writes continue in the new lineage, and the old lineage is refused.
    await client.lock(info)
    expect((await client.write({ ...now, serial: 2 }, info.ID)).statusCode).toBe(200)
    expect((await client.write(stateOf(3), info.ID)).json().code).toBe('lineage_mismatch')
    await client.unlock(info)
    const audit = (await owner.get('/api/audit?limit=50')).body
    expect(audit).toContain('"newLineage":true')
  })

  test('201: versions show their lineage; a restored version gets the current one', async () => {
    const { owner, client, url } = await made(stateOf(1), stateOf(2))
    const versions = `${url}/state/versions`
    // Two concurrent requests for one serial: each starts a lineage, and both from the same
    // version.
    const both = await Promise.all(
      [1, 2].map(async () => owner.post(`${versions}/1/restore`, { newLineage: true })),
    )
    expect(both.map(({ statusCode }) => statusCode)).toEqual([201, 201])
    const lineages = both.map((answer) => answer.json().version.lineage)
    expect(new Set([...lineages, 'lineage-one']).size).toBe(3)
    const list = (await owner.get(versions)).json().versions
    expect(list.map(({ serial }: { serial: number }) => serial)).toEqual([1, 1, 2, 1])
    const { lineage } = list[0]
    expect((await client.read()).json()).toMatchObject({ serial: 1, lineage })
    expect((await owner.get(`${versions}/1`)).json().lineage).toBe(lineage)
    for (const each of ['lineage-one', ...lineages])
      expect((await owner.get(`${versions}/1?lineage=${each}`)).json().lineage).toBe(each)
    expect((await owner.get(`${versions}/1?lineage=none`)).statusCode).toBe(404)
    expect((await owner.post(`${versions}/1/restore?lineage=none`)).statusCode).toBe(404)
    expect((await owner.get(`${versions}/1?lineage=%00`)).statusCode).toBeLessThan(500)

    const back = await owner.post(`${versions}/2/restore?lineage=lineage-one`)
    expect(back.json().version, back.body).toMatchObject({ serial: 2, lineage })
    const { outputs } = (await client.read()).json()
    expect(outputs.open.value).toBe('serial 2')
    expect((await owner.get(url)).json().workspace.stateSerial).toBe(2)
  })

  test('423, 409 and 404: a restore under a lock, of an unknown version; a restore makes a waiting run stale', async () => {
    const { org, owner, workspace, url } = await made(stateOf(1))
    await owner.post(`${url}/lock`, {})
    expect((await owner.post(`${url}/state/versions/1/restore`)).statusCode).toBe(423)
    await owner.post(`${url}/unlock`, {})
    for (const serial of ['7', '-1', 'x', '99999999999999999999'])
      expect((await owner.post(`${url}/state/versions/${serial}/restore`)).statusCode).toBe(404)
    const place = { organizationId: org.id, workspaceId: workspace.id, authorUserId: owner.id }
    const run = await runInPhase(harness.deps, place, 'awaiting_approval')
    expect((await owner.post(`${url}/state/versions/1/restore`)).statusCode).toBe(201)
    const ended = (await owner.get(`${url}/runs/${run.id}`)).json().run
    expect(ended).toMatchObject({ state: 'failed', reason: 'plan_stale' })
  })

  test('201 and 409: two concurrent restores make two versions, or one is refused', async () => {
    const { owner, url } = await made(stateOf(1))
    const both = await Promise.all(
      [1, 2].map(async () => owner.post(`${url}/state/versions/1/restore`)),
    )
    expect(both.map((answer) => answer.json().version.serial).toSorted((a, b) => a - b)).toEqual([
      2, 3,
    ])
  })
})
