import { createHash, randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { runInPhase } from './run-in-phase.ts'
import { lockedState } from './locked-state.ts'
import { lockInfo, stateClient, stateOf } from './state-client.ts'

describe('states of any size and shape', () => {
  let harness: Harness
  beforeAll(async () => {
    harness = await createHarness()
  })
  afterAll(async () => harness.close())

  const made = async () => {
    const locked = await lockedState(harness)
    const { org, client, info } = locked
    const write = async (state: unknown) => client.write(state, info.ID)
    return { ...locked, write, viewer: await org.user('Viewer') }
  }
  const deep = '['.repeat(200_000) + ']'.repeat(200_000)

  test('200: outputs nested 200,000 deep are shown as omitted, and the rest of the state is read', async () => {
    const { write, client, viewer, url } = await made()
    const outputs = { deep: 'HERE', fine: { value: 'shown', type: 'string' } }
    const text = JSON.stringify(stateOf(1, { outputs })).replace(
      '"HERE"',
      `{"value":${deep},"type":"string"}`,
    )
    expect((await write(text)).statusCode).toBe(200)
    const answer = await viewer.get(`${url}/outputs`)
    expect(answer.statusCode, answer.body).toBe(200)
    expect(answer.json()).toEqual({
      outputs: [
        { name: 'deep', type: null, value: null, sensitive: false, omitted: 'too_deep' },
        { name: 'fine', type: 'string', value: 'shown', sensitive: false },
      ],
      omittedOutputs: 0,
      nextCursor: null,
    })
    expect((await viewer.get(`${url}/state/resources`)).json().resources).toHaveLength(3)
    expect((await client.read()).body).toBe(text)
  })

  test('200: a state of 12 MB is returned byte for byte; the pages of its resources are of one version', async () => {
    const { write, client, viewer, url, info } = await made()
    const instances = Array.from({ length: 3_000 }, (_, n) => ({
      index_key: n,
      attributes: { text: randomBytes(2_000).toString('hex') },
    }))
    const resources = [{ mode: 'managed', type: 't', name: 'n', provider: 'p', instances }]
    const text = JSON.stringify(stateOf(1, { resources }))
    const written = await write(text)
    expect(written.statusCode, written.body).toBe(200)
    const read = await client.read()
    expect(read.headers['content-md5']).toBe(createHash('md5').update(text).digest('base64'))
    expect(read.headers['content-length']).toBe(String(Buffer.byteLength(text)))
    expect(read.body === text).toBe(true)

    const first = (await viewer.get(`${url}/state/resources?limit=200`)).json()
    expect(first.resources).toHaveLength(200)
    // A write between two pages: the second page is still of the first page's version.
    expect((await client.write(stateOf(2), info.ID)).statusCode).toBe(200)
    const second = await viewer.get(`${url}/state/resources?limit=200&cursor=${first.nextCursor}`)
    expect(second.json()).toMatchObject({ serial: 1, omittedResources: 0 })
    expect(second.json().resources[0].address).toBe('t.n[200]')
    const restored = await viewer.get(`${url}/state/resources`)
    expect(restored.json().serial).toBe(2)
  }, 60_000)

  test('201: a large state is restored under the next serial', async () => {
    const { write, owner, client, info, url } = await made()
    const text = JSON.stringify(stateOf(1, { padding: 'x'.repeat(300_000) }))
    expect((await write(text)).statusCode).toBe(200)
    expect((await write(stateOf(2))).statusCode).toBe(200)
    await client.unlock(info)
    const restored = await owner.post(`${url}/state/versions/1/restore`)
    expect(restored.statusCode, restored.body).toBe(201)
    expect((await client.read()).body).toBe(text.replace('"serial":1,', '"serial":3,'))
  }, 60_000)

  test('400 and 413: an invalid large state, and one above 64 MiB, leave no rows', async () => {
    const { write, client, url, owner } = await made()
    const cut = JSON.stringify(stateOf(1, { padding: 'x'.repeat(300_000) })).slice(0, -5)
    const refused = await write(cut)
    expect([refused.statusCode, refused.json().code]).toEqual([400, 'invalid_state'])
    const large = await write(`{"version":4,"padding":"${'x'.repeat(64 * 1_048_576)}"}`)
    expect([large.statusCode, large.json().code]).toEqual([413, 'body_too_large'])
    expect((await client.read()).statusCode).toBe(204)
    expect((await owner.get(`${url}/state/versions`)).json().versions).toEqual([])
  }, 60_000)

  test('200: a version in the old format is split by its first reader, and once by two concurrent readers', async () => {
    const { org, write, client, viewer, url, owner } = await made()
    const text = JSON.stringify(stateOf(1))
    expect((await write(text)).statusCode).toBe(200)
    const { platform } = harness.deps.store
    const sealed = harness.deps.keyring.seal(
      { organizationId: org.id, table: 'state_versions', column: 'body' },
      text,
    )
    for (const table of ['state_pieces', 'state_resources', 'state_outputs'])
      await platform(table).where({ organizationId: org.id }).delete()
    await platform('state_versions')
      .where({ organizationId: org.id })
      .update({ body: sealed, sizeBytes: null, managedResources: null })
    const both = await Promise.all([
      viewer.get(`${url}/outputs`),
      viewer.get(`${url}/state/resources`),
      client.read(),
    ])
    expect(both.map(({ statusCode }) => statusCode)).toEqual([200, 200, 200])
    expect(both[0].json().outputs).toHaveLength(2)
    expect(both[1].json().resources).toHaveLength(3)
    expect(both[2].body).toBe(text)
    const [row] = await platform('state_versions').where({ organizationId: org.id }).select()
    expect(row).toMatchObject({ body: null, sizeBytes: text.length, managedResources: 2 })
    await owner.post(`${url}/unlock`, { force: true })
    expect((await owner.delete(url)).json().code).toBe('state_not_empty')
  })

  test('409: a large state of a fenced run is quarantined completely', async () => {
    const org = await harness.organization()
    const owner = await org.user('Owner')
    const workspace = await org.workspace({ by: owner })
    const place = { organizationId: org.id, workspaceId: workspace.id, authorUserId: owner.id }
    const run = await runInPhase(harness.deps, place, 'applying')
    const client = stateClient(harness.app, workspace, run.token)
    await client.lock(lockInfo())
    const text = JSON.stringify(stateOf(1, { padding: 'x'.repeat(300_000) }))
    expect((await client.write(text, 'another lock')).json().code).toBe('lock_mismatch')
    const { versions } = (await owner.get(`${workspace.url}/state/versions`)).json()
    const kept = await owner.get(`${workspace.url}/state/quarantined/${versions[0].id}`)
    expect(kept.body).toBe(text)
  })

  test('404: a cursor of another workspace’s state', async () => {
    const [one, two] = [await made(), await made()]
    await one.write(stateOf(1))
    await two.write(stateOf(1))
    const rows = await harness.deps.store
      .platform('state_versions')
      .where({ organizationId: one.org.id })
      .select('id')
    for (const path of ['outputs', 'state/resources']) {
      const answer = await two.viewer.get(`${two.url}/${path}?cursor=${rows[0].id}-0`)
      expect(answer.statusCode).toBe(404)
    }
  })
})
