import { unwrap } from '../../../store/driver/tenant.ts'
import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Role } from '../../../domain/access/roles.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { lockInfo, stateClient, stateOf } from './state-client.ts'
import { runInPhase } from './run-in-phase.ts'

describe('/api/workspaces/{id}/state, with a user’s token', () => {
  let harness: Harness
  beforeAll(async () => {
    harness = await createHarness()
  })
  afterAll(async () => harness.close())

  const made = async (
    role: Role = 'Deployer',
    criticality: 'standard' | 'production' = 'standard',
  ) => {
    const org = await harness.organization()
    const user = await org.user(role)
    const workspace = await org.workspace({ criticality })
    const client = stateClient(harness.app, workspace, await user.token())
    return { org, user, workspace, client }
  }

  test('204, then 200: a state is returned byte for byte, and is encrypted in the database', async () => {
    const { org, user, workspace, client } = await made()
    expect((await client.read()).statusCode).toBe(204)
    const info = lockInfo()
    expect((await client.lock(info)).json()).toEqual({ ok: true })
    const body = `${JSON.stringify(stateOf(1), null, 3)}\n\n`
    expect((await client.write(body, info.ID)).statusCode).toBe(200)
    expect((await client.unlock(info)).statusCode).toBe(200)
    const read = await client.read()
    expect(read.body).toBe(body)
    expect(read.headers['content-type']).toContain('application/json')
    expect(read.headers['content-md5']).toBe(createHash('md5').update(body).digest('base64'))
    expect((await user.get(workspace.url)).json().workspace).toMatchObject({
      stateSerial: 1,
      locked: null,
    })
    const rows = await harness.deps.store.tenant(org.id, async (tenant) =>
      unwrap(tenant).db('state_pieces').select('body'),
    )
    expect(rows.length).toBeGreaterThan(0)
    expect(rows.some(({ body: sealed }: { body: Buffer }) => sealed.includes('hunter2'))).toBe(
      false,
    )
  })

  test('401 and 403: no credential, a wrong one, a Viewer, and a cookie from another site', async () => {
    const { org, user, workspace } = await made()
    const none = await harness.app.inject({ url: `${workspace.url}/state` })
    expect(none.statusCode).toBe(401)
    expect(none.headers['www-authenticate']).toContain('Basic')
    const wrong = stateClient(harness.app, workspace, 'cc_pat_nonsense')
    expect((await wrong.read()).statusCode).toBe(401)
    const viewer = stateClient(harness.app, workspace, await (await org.user('Viewer')).token())
    const answers = [
      await viewer.read(),
      await viewer.lock(),
      await viewer.write(stateOf(1), 'x'),
      await viewer.unlock(lockInfo()),
    ]
    for (const answer of answers) expect(answer.statusCode).toBe(403)
    const forged = await harness.app.inject({
      method: 'LOCK',
      url: `${workspace.url}/state`,
      headers: { cookie: `cc_session=${user.cookie}`, origin: 'https://evil.example' },
      payload: JSON.stringify(lockInfo()),
    })
    expect(forged.json().code).toBe('cross_site')
  })

  test('404: another organization’s workspace, with any body', async () => {
    const { workspace } = await made()
    const stranger = await (await harness.organization()).user('Owner')
    const client = stateClient(harness.app, workspace, await stranger.token())
    const answers = [
      await client.read(),
      await client.write('not even JSON'),
      await client.lock({}),
      await client.unlock({}),
      await stranger.get(`${workspace.url}/state/versions`),
      await stranger.get(`${workspace.url}/state/versions/1`),
      await stranger.post(`${workspace.url}/state/versions/1/restore`),
      await stranger.get(`${workspace.url}/state/quarantined/1`),
      await stranger.get(`${workspace.url}/state/resources`),
      await stranger.get(`${workspace.url}/outputs`),
      await stranger.post(`${workspace.url}/lock`, { reason: 'x' }),
      await stranger.post(`${workspace.url}/unlock`, { force: true }),
    ]
    for (const answer of answers) {
      expect(answer.statusCode).toBe(404)
      expect(answer.json()).toEqual({ error: 'Not found', code: 'not_found' })
    }
  })

  test('409: a state without a lock, of an older serial, of another lineage', async () => {
    const { client } = await made()
    expect((await client.write(stateOf(1))).json().code).toBe('lock_required')
    const info = lockInfo()
    await client.lock(info)
    expect((await client.write(stateOf(5), info.ID)).statusCode).toBe(200)
    expect((await client.write(stateOf(5), info.ID)).statusCode).toBe(200)
    const codes = [stateOf(4), stateOf(5, { outputs: {} }), stateOf(6, { lineage: 'other' })]
    const refused = []
    for (const body of codes) {
      const answer = await client.write(body, info.ID)
      expect(answer.statusCode).toBe(409)
      refused.push(answer.json().code)
    }
    expect(refused).toEqual(['serial_conflict', 'serial_conflict', 'lineage_mismatch'])
    expect((await client.read()).json().serial).toBe(5)
  })

  test('400: what is not a state', async () => {
    const { client } = await made()
    const info = lockInfo()
    await client.lock(info)
    const bodies = [
      '',
      '{',
      '[]',
      'null',
      stateOf(1, { version: 3 }),
      stateOf(1, { lineage: '' }),
      stateOf(1, { lineage: 7 }),
      stateOf(-1),
      stateOf(1.5),
      stateOf(2 ** 60),
      stateOf(1, { serial: '1' }),
      stateOf(1, { Serial: 9 }),
      stateOf(1, { resources: {} }),
      // Go folds these characters to `s`, so OpenTofu reads the second field.
      stateOf(1, { '\u017Ferial': 9 }),
      stateOf(1, { 'resource\u017F': [] }),
      stateOf(1, { 'output\u017F': {} }),
      stateOf(1, { resources: [{ ...stateOf(1).resources[0], 'in\u017Ftances': [] }] }),
      stateOf(1, { resources: [{ ...stateOf(1).resources[0], MODE: 'data' }] }),
      stateOf(1, { resources: [{ instances: [{ 'index_\u212Aey': 'a' }] }] }),
      stateOf(1, { outputs: { open: { value: 1, type: 'number', '\u017Fensitive': true } } }),
      { encrypted_data: 'x', serial: 1, lineage: 'x' },
    ]
    for (const body of bodies) {
      const answer = await client.write(body, info.ID)
      expect(answer.statusCode, JSON.stringify(body)).toBe(400)
      expect(answer.json().code).toBe('invalid_state')
    }
    expect((await client.read()).statusCode).toBe(204)
  })

  test('400: a body that does not match its MD5', async () => {
    const { user, workspace } = await made()
    const answer = await harness.app.inject({
      method: 'POST',
      url: `${workspace.url}/state`,
      headers: { authorization: `Bearer ${await user.token()}`, 'content-md5': 'AAAA' },
      payload: JSON.stringify(stateOf(1)),
    })
    expect(answer.json().code).toBe('md5_mismatch')
  })

  test('413: more than 64 MiB; a state of several MiB is accepted', async () => {
    const { client } = await made()
    const info = lockInfo()
    await client.lock(info)
    const large = stateOf(1, { check_results: 'x'.repeat(3 * 1_048_576) })
    expect((await client.write(large, info.ID)).statusCode).toBe(200)
    const huge = await client.write('x'.repeat(64 * 1_048_576 + 1), info.ID)
    expect(huge.statusCode).toBe(413)
  })

  test('423: two concurrent LOCKs: one succeeds, and the other’s answer names the holder', async () => {
    const { org, workspace, client } = await made()
    const other = stateClient(harness.app, workspace, await (await org.user('Deployer')).token())
    const infos = [lockInfo(), lockInfo()]
    const both = await Promise.all([client.lock(infos[0]), other.lock(infos[1])])
    expect(both.map(({ statusCode }) => statusCode).toSorted((a, b) => a - b)).toEqual([200, 423])
    const won = both[0]?.statusCode === 200 ? infos[0] : infos[1]
    const refused = both.find(({ statusCode }) => statusCode === 423)?.json()
    expect(refused).toMatchObject({ ...won, code: 'locked' })
  })

  test('423: the ID of another user’s lock does not allow writes', async () => {
    const { org, workspace, client } = await made()
    const info = lockInfo()
    await client.lock(info)
    expect((await client.lock(info)).statusCode).toBe(200)
    const other = stateClient(harness.app, workspace, await (await org.user('Owner')).token())
    expect((await other.lock(info)).statusCode).toBe(423)
    const written = await other.write(stateOf(1), info.ID)
    expect(written.statusCode).toBe(423)
    expect(written.json()).toMatchObject({ ID: info.ID, Who: info.Who })
    expect((await client.write(stateOf(1))).statusCode).toBe(423)
    expect((await client.write(stateOf(1), 'wrong')).statusCode).toBe(423)
  })

  test('409: two concurrent writes with one serial: one is stored', async () => {
    const { client } = await made()
    const info = lockInfo()
    await client.lock(info)
    const bodies = [stateOf(1), stateOf(1, { outputs: {} }), stateOf(1, { resources: [] })]
    const all = await Promise.all(bodies.map((body) => client.write(body, info.ID)))
    expect(all.map(({ statusCode }) => statusCode).toSorted((a, b) => a - b)).toEqual([
      200, 409, 409,
    ])
  })

  test('400: LOCK without lock info; lock info that other clients cannot read is normalized', async () => {
    const { org, workspace, client } = await made()
    for (const info of [{}, { ID: '' }, { ID: 7 }, { ID: 'a\u0000b' }, { ID: 'x'.repeat(201) }])
      expect((await client.lock(info)).statusCode).toBe(400)
    expect((await client.lock({ ID: 'x', Info: 'y'.repeat(20_000) })).statusCode).toBe(400)
    await client.lock({ ID: 'mine', Created: 'yesterday', Who: 'a\u0000\ud800b', Extra: 1 })
    const other = stateClient(harness.app, workspace, await (await org.user('Deployer')).token())
    const shown = (await other.lock()).json()
    expect(shown).toMatchObject({ ID: 'mine', Who: 'a\ufffdb' })
    expect(Number.isNaN(Date.parse(shown.Created))).toBe(false)
    expect(shown.Extra).toBeUndefined()
  })

  test('403: on production a Deployer’s OpenTofu is refused at LOCK, before it changes resources', async () => {
    const { client } = await made('Deployer', 'production')
    const apply = await client.lock(lockInfo({ Operation: 'OperationTypeApply' }))
    expect(apply.statusCode).toBe(403)
    const info = lockInfo()
    expect((await client.lock(info)).statusCode).toBe(200)
    expect((await client.write(stateOf(1), info.ID)).statusCode).toBe(403)
    const sre = await made('SRE · Cloud Admin', 'production')
    const own = lockInfo({ Operation: 'OperationTypeApply' })
    await sre.client.lock(own)
    expect((await sre.client.write(stateOf(1), own.ID)).statusCode).toBe(200)
  })

  test('200: a write makes a waiting run stale, and the writer an author', async () => {
    const { org, user, workspace, client } = await made()
    const author = await org.user('Owner')
    const place = { organizationId: org.id, workspaceId: workspace.id, authorUserId: author.id }
    const run = await runInPhase(harness.deps, place, 'awaiting_approval')
    const info = lockInfo()
    await client.lock(info)
    await client.write(stateOf(1), info.ID)
    const ended = (await user.get(`${workspace.url}/runs/${run.id}`)).json().run
    expect(ended).toMatchObject({ state: 'failed', reason: 'plan_stale' })
    const authors = await harness.deps.store.tenant(org.id, async (tenant) =>
      unwrap(tenant).db('workspace_authorship').where({ userId: user.id }).pluck('what'),
    )
    expect(authors).toEqual(['state'])
  })
})
