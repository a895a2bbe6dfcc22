import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { runInPhase } from './run-in-phase.ts'

describe('/api/workspaces/{id}/variables', () => {
  let harness: Harness
  beforeAll(async () => {
    harness = await createHarness()
  })
  afterAll(async () => harness.close())

  const made = async () => {
    const org = await harness.organization()
    const user = await org.user('Deployer')
    const workspace = await org.workspace({ by: user })
    return { org, user, workspace, url: `${workspace.url}/variables` }
  }

  test('201: a sensitive value is written only: no answer, log or audit entry has it', async () => {
    const { org, user, url } = await made()
    const secret = 'correct-horse-battery'
    const body = { key: 'password', value: secret, sensitive: true }
    const created = await user.post(url, body)
    expect(created.statusCode).toBe(201)
    const { variable } = created.json()
    expect(variable).toMatchObject({ key: 'password', kind: 'terraform', value: null })
    const changed = await user.patch(`${url}/${variable.id}`, { value: `${secret}-2` })
    const listed = await user.get(url)
    const rows = await harness.deps.store.tenant(org.id, async (db) => ({
      audit: await db('audit_entries').pluck('detail'),
      values: await db('workspace_variables').select('value'),
    }))
    for (const text of [
      created.body,
      changed.body,
      listed.body,
      harness.logged(),
      JSON.stringify(rows.audit),
      rows.values.map(({ value }: { value: Buffer }) => value.toString('latin1')).join(''),
    ])
      expect(text).not.toContain(secret)
  })

  test('400: a sensitive variable is not shown by making it plain', async () => {
    const { user, url } = await made()
    const body = { key: 'password', value: 'hush', sensitive: true }
    const { variable } = (await user.post(url, body)).json()
    const place = `${url}/${variable.id}`
    expect((await user.patch(place, { sensitive: false })).statusCode).toBe(400)
    const plain = await user.patch(place, { sensitive: false, value: 'new' })
    expect(plain.json().variable).toMatchObject({ value: 'new', sensitive: false })
    const hidden = await user.patch(place, { sensitive: true })
    expect(hidden.json().variable).toMatchObject({ value: null, sensitive: true })
  })

  test('400: keys that would change who is asked or what is run', async () => {
    const { user, url } = await made()
    const keys = ['TF_LOG', 'CC_X', 'LD_PRELOAD', 'PATH', 'HOME', 'SSL_CERT_FILE', 'https_proxy']
    for (const key of keys)
      expect((await user.post(url, { key, value: 'x', kind: 'env' })).statusCode, key).toBe(400)
    for (const key of ['1a', 'a b', 'a=b', 'ä', ''])
      expect((await user.post(url, { key, value: 'x' })).statusCode, key).toBe(400)
    const env = await user.post(url, { key: 'TF_VAR_a', value: 'x', kind: 'env' })
    expect(env.statusCode).toBe(201)
    const long = await user.post(url, { key: 'long', value: 'x'.repeat(65_537) })
    expect(long.statusCode).toBe(400)
    expect((await user.post(url, { key: 'nul', value: 'a\u0000b' })).statusCode).toBe(400)
  })

  test('409: the same key of one kind twice, and the 201st', async () => {
    const { org, user, workspace, url } = await made()
    const { variable } = (await user.post(url, { key: 'a', value: '' })).json()
    const taken = await user.post(url, { key: 'a', value: '' })
    expect(taken.json()).toMatchObject({ code: 'name_taken', existingId: variable.id })
    expect((await user.post(url, { key: 'a', value: '', kind: 'env' })).statusCode).toBe(201)
    await harness.deps.store.tenant(org.id, async (db) =>
      db('workspace_variables').insert(
        Array.from({ length: 197 }, (_, index) => ({
          organizationId: org.id,
          workspaceId: workspace.id,
          key: `v${index}`,
          kind: 'terraform',
          value: Buffer.alloc(0),
          valueMac: Buffer.alloc(0),
          sensitive: true,
        })),
      ),
    )
    const both = await Promise.all(['x', 'y'].map((key) => user.post(url, { key, value: '' })))
    expect(both.map(({ statusCode }) => statusCode).toSorted((a, b) => a - b)).toEqual([201, 409])
    expect((await user.get(url)).json().variables.length).toBe(200)
  })

  test('200: each change makes a waiting run stale and its maker an author', async () => {
    const { org, user, workspace, url } = await made()
    const place = { organizationId: org.id, workspaceId: workspace.id, authorUserId: user.id }
    const deployer = await org.user('Deployer')
    let id = 0
    const changes = [
      async () => {
        id = (await deployer.post(url, { key: 'a', value: '1' })).json().variable.id
      },
      async () => deployer.patch(`${url}/${id}`, { value: '2' }),
      async () => deployer.delete(`${url}/${id}`),
    ]
    for (const change of changes) {
      const run = await runInPhase(harness.deps, place, 'awaiting_approval')
      await change()
      const ended = (await user.get(`${workspace.url}/runs/${run.id}`)).json().run
      expect(ended).toMatchObject({ state: 'failed', reason: 'plan_stale' })
    }
    const authors = await harness.deps.store.tenant(org.id, async (db) =>
      db('workspace_authorship').where({ userId: deployer.id }).pluck('what'),
    )
    expect(authors).toEqual(['variable a', 'variable a', 'variable a'])
  })

  test('403 and 404: a Viewer reads only; another workspace’s variable is not here', async () => {
    const { org, user, url } = await made()
    const { variable } = (await user.post(url, { key: 'a', value: '1' })).json()
    const viewer = await org.user('Viewer')
    expect((await viewer.get(url)).json().variables.length).toBe(1)
    expect((await viewer.post(url, { key: 'b', value: '' })).statusCode).toBe(403)
    expect((await viewer.delete(`${url}/${variable.id}`)).statusCode).toBe(403)
    const sibling = await org.workspace({ by: user })
    const stranger = await (await harness.organization()).user('Owner')
    const answers = [
      await user.patch(`${sibling.url}/variables/${variable.id}`, { value: 'x' }),
      await user.delete(`${sibling.url}/variables/${variable.id}`),
      await stranger.patch(`${url}/${variable.id}`, { value: 'x' }),
      await stranger.delete(`${url}/${variable.id}`),
      await stranger.get(url),
      await stranger.post(url, { key: 'TF_LOG' }),
    ]
    for (const answer of answers) expect(answer.statusCode).toBe(404)
  })
})
