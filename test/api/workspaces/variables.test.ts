import { unwrap } from '../../../store/driver/tenant.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { ownedWorkspace } from '../../harness/owned-workspace.ts'
import { runInPhase } from './run-in-phase.ts'

describe('/api/workspaces/{id}/variables', () => {
  let harness: Harness
  beforeAll(async () => {
    harness = await createHarness()
  })
  afterAll(async () => harness.close())

  const made = async () => {
    const { org, owner, workspace, url } = await ownedWorkspace(harness, 'Deployer')
    return { org, user: owner, workspace, url: `${url}/variables` }
  }

  test('201: a sensitive value is write-only: no answer, log or audit entry contains it', async () => {
    const { org, user, url } = await made()
    const secret = 'correct-horse-battery'
    const body = { key: 'password', value: secret, sensitive: true }
    const created = await user.post(url, body)
    expect(created.statusCode).toBe(201)
    const { variable } = created.json()
    expect(variable).toMatchObject({ key: 'password', kind: 'terraform', value: null })
    const changed = await user.patch(`${url}/${variable.id}`, { value: `${secret}-2` })
    const listed = await user.get(url)
    const rows = await harness.deps.store.tenant(org.id, async (tenant) => ({
      audit: await unwrap(tenant).db('audit_entries').pluck('detail'),
      values: await unwrap(tenant).db('workspace_variables').select('value'),
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

  test('400: a sensitive variable cannot be made plain', async () => {
    const { user, url } = await made()
    const body = { key: 'password', value: 'hush', sensitive: true }
    const { variable } = (await user.post(url, body)).json()
    const place = `${url}/${variable.id}`
    expect((await user.patch(place, { sensitive: false })).statusCode).toBe(400)
    const plain = await user.patch(place, { sensitive: false, value: 'newer' })
    expect(plain.json().variable).toMatchObject({ value: 'newer', sensitive: false })
    const hidden = await user.patch(place, { sensitive: true })
    expect(hidden.json().variable).toMatchObject({ value: null, sensitive: true })
  })

  test('400: keys that would change which hosts or programs OpenTofu uses', async () => {
    const { user, url } = await made()
    const keys = ['TF_LOG', 'CC_X', 'LD_PRELOAD', 'PATH', 'HOME', 'SSL_CERT_FILE', 'https_proxy']
    for (const key of [...keys, 'GIT_SSH_COMMAND', 'GIT_CONFIG_COUNT', 'BASH_ENV', 'GODEBUG']) {
      const refused = await user.post(url, { key, value: 'x', kind: 'env' })
      expect(refused.statusCode, key).toBe(400)
      expect(refused.json()).toMatchObject({
        code: 'variable_refused',
        error: expect.stringContaining(`${key} is refused`),
      })
    }
    const lower = await user.post(url, { key: 'region', value: 'x', kind: 'env' })
    expect(lower.json()).toMatchObject({ code: 'invalid', details: [{ path: 'key' }] })
    for (const key of ['1a', 'a b', 'a=b', 'ä', ''])
      expect((await user.post(url, { key, value: 'x' })).statusCode, key).toBe(400)
    const env = await user.post(url, { key: 'TF_VAR_a', value: 'x', kind: 'env' })
    expect(env.statusCode).toBe(201)
    const long = await user.post(url, { key: 'long', value: 'x'.repeat(65_537) })
    expect(long.statusCode).toBe(400)
    expect((await user.post(url, { key: 'nul', value: 'a\u0000b' })).statusCode).toBe(400)
  })

  test('400: an old variable with a key that is refused today can be read and deleted, not changed', async () => {
    const { org, user, workspace, url } = await made()
    const { keyring, store } = harness.deps
    const place = { organizationId: org.id, table: 'workspace_variables', column: 'value' }
    await store.tenant(org.id, async (tenant) =>
      unwrap(tenant)
        .db('workspace_variables')
        .insert({
          organizationId: org.id,
          workspaceId: workspace.id,
          key: 'GIT_SSH_COMMAND',
          kind: 'env',
          sensitive: false,
          value: keyring.seal(place, 'id'),
          valueMac: Buffer.alloc(32),
        }),
    )
    const [{ id, value }] = (await user.get(url)).json().variables
    expect(value).toBe('id')
    const changed = await user.patch(`${url}/${id}`, { value: 'other' })
    expect(changed.json()).toMatchObject({
      code: 'variable_refused',
      error: expect.stringContaining('Delete the variable'),
    })
    expect((await user.delete(`${url}/${id}`)).statusCode).toBe(200)
  })

  test('200: a phase is stored, changed and listed; an OpenTofu variable has both phases', async () => {
    const { user, url } = await made()
    const body = { key: 'API_KEY', value: 'x', kind: 'env' }
    const created = await user.post(url, { ...body, phase: 'apply' })
    expect(created.json().variable).toMatchObject({ key: 'API_KEY', phase: 'apply' })
    const place = `${url}/${created.json().variable.id}`
    expect((await user.patch(place, { phase: 'plan' })).json().variable.phase).toBe('plan')
    expect((await user.patch(place, { value: 'y' })).json().variable.phase).toBe('plan')
    expect((await user.post(url, { ...body, key: 'OTHER' })).json().variable.phase).toBe('both')
    expect((await user.get(url)).json().variables.map((v: { phase: string }) => v.phase)).toEqual([
      'plan',
      'both',
    ])
    for (const refused of [
      { key: 'a', value: 'x', phase: 'apply' },
      { key: 'TF_VAR_a', value: 'x', kind: 'env', phase: 'plan' },
    ])
      expect((await user.post(url, refused)).json()).toMatchObject({
        code: 'variable_phase_refused',
        details: [{ path: 'phase' }],
      })
    const { variable } = (await user.post(url, { key: 'a', value: 'x' })).json()
    const changed = await user.patch(`${url}/${variable.id}`, { phase: 'apply' })
    expect(changed.json().code).toBe('variable_phase_refused')
    expect((await user.post(url, { ...body, phase: 'never' })).statusCode).toBe(400)
  })

  test('409: a second variable with one key and kind, and the 201st variable', async () => {
    const { org, user, workspace, url } = await made()
    const { variable } = (await user.post(url, { key: 'a', value: '' })).json()
    const taken = await user.post(url, { key: 'a', value: '' })
    expect(taken.json()).toMatchObject({ code: 'name_taken', existingId: variable.id })
    expect((await user.post(url, { key: 'A', value: '', kind: 'env' })).statusCode).toBe(201)
    await harness.deps.store.tenant(org.id, async (tenant) =>
      unwrap(tenant)
        .db('workspace_variables')
        .insert(
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
    expect((await user.get(`${url}?limit=200`)).json().variables.length).toBe(200)
  })

  test('400: a value too large for a program’s environment, and a sensitive one that cannot be masked', async () => {
    const { user, url } = await made()
    // 65,536 characters are within the schema, and take 196,608 bytes.
    const large = await user.post(url, { key: 'a', value: '漢'.repeat(65_536) })
    expect(large.statusCode).toBe(400)
    expect(large.json()).toMatchObject({
      code: 'variable_too_large',
      error: expect.stringMatching(/a takes 196618 bytes .* at most 131072/),
    })
    const most = await user.post(url, { key: 'most', value: '漢'.repeat(43_680) })
    expect(most.statusCode).toBe(201)
    for (const value of ['qzx', 'q\nz\nx'])
      expect((await user.post(url, { key: 'pin', value, sensitive: true })).json()).toMatchObject({
        code: 'variable_not_maskable',
        error: expect.stringContaining('shorter than 4 characters'),
      })
    const empty = await user.post(url, { key: 'empty', value: '', sensitive: true })
    expect(empty.statusCode).toBe(201)
    const { variable } = (await user.post(url, { key: 'pin', value: 'qzx' })).json()
    const place = `${url}/${variable.id}`
    for (const change of [{ sensitive: true }, { sensitive: true, value: 'q' }])
      expect((await user.patch(place, change)).json().code).toBe('variable_not_maskable')
    expect((await user.patch(place, { sensitive: true, value: 'qzx4' })).statusCode).toBe(200)
    expect((await user.patch(place, { value: 'qzx' })).json().code).toBe('variable_not_maskable')
  })

  test('409: more than 1 MiB of sensitive values, also by concurrent requests and by changes', async () => {
    const { user, url } = await made()
    const post = async (key: string, sensitive = true, value = 'v'.repeat(65_000)) =>
      user.post(url, { key, value, sensitive })
    const answers = await Promise.all(Array.from({ length: 20 }, async (_, n) => post(`s${n}`)))
    const made201 = answers.filter(({ statusCode }) => statusCode === 201)
    expect(made201.length).toBe(16)
    const refused = answers.find(({ statusCode }) => statusCode !== 201)
    expect(refused?.statusCode).toBe(409)
    expect(refused?.json()).toMatchObject({
      code: 'variables_too_large',
      error: expect.stringMatching(
        /sensitive values .* would take 1105\d+ bytes .* may take 1048576/,
      ),
    })
    // Plain values count only towards the limit of all values.
    const plain = await Promise.all(
      Array.from({ length: 10 }, async (_, n) => post(`p${n}`, false)),
    )
    expect(plain.filter(({ statusCode }) => statusCode === 201).length).toBe(8)
    expect(plain.find(({ statusCode }) => statusCode !== 201)?.json().error).toContain('1572864')

    const plainId = plain.find(({ statusCode }) => statusCode === 201)?.json().variable.id
    const marked = await user.patch(`${url}/${plainId}`, { sensitive: true })
    expect(marked.json().code).toBe('variables_too_large')
    const secret = made201[0]?.json().variable.id
    expect((await user.patch(`${url}/${secret}`, { value: 'short' })).statusCode).toBe(200)
    expect((await user.patch(`${url}/${plainId}`, { sensitive: true })).statusCode).toBe(200)
  })

  test('200: an old workspace above the limits can be read, reduced and emptied', async () => {
    const { org, user, workspace, url } = await made()
    const { keyring, store } = harness.deps
    const place = { organizationId: org.id, table: 'workspace_variables', column: 'value' }
    await store.tenant(org.id, async (tenant) =>
      unwrap(tenant)
        .db('workspace_variables')
        .insert(
          Array.from({ length: 30 }, (_, n) => ({
            organizationId: org.id,
            workspaceId: workspace.id,
            key: `v${n}`,
            kind: 'terraform',
            sensitive: true,
            value: keyring.seal(place, 'v'.repeat(65_536)),
            valueMac: Buffer.alloc(32),
          })),
        ),
    )
    const { variables } = (await user.get(url)).json()
    expect(variables.length).toBe(30)
    const [first, second] = variables
    expect((await user.post(url, { key: 'more', value: 'x' })).json().code).toBe(
      'variables_too_large',
    )
    expect((await user.patch(`${url}/${first.id}`, { value: 'smaller' })).statusCode).toBe(200)
    expect((await user.delete(`${url}/${second.id}`)).statusCode).toBe(200)
  })

  test('400: overrides of a run that are too large, or too short for the sensitive value they override', async () => {
    const { user, workspace, url } = await made()
    await user.post(url, { key: 'pin', value: 'long-enough', sensitive: true })
    const apply = async (vars: Record<string, unknown>) =>
      (await user.post(`${workspace.url}/apply`, { vars })).json()
    expect(await apply({ pin: 12 })).toMatchObject({ code: 'variable_not_maskable' })
    expect(await apply({ a: '漢'.repeat(60_000) })).toMatchObject({ code: 'variable_too_large' })
    const many = Object.fromEntries(['a', 'b', 'c', 'd', 'e'].map((k) => [k, 'x'.repeat(60_000)]))
    expect(await apply(many)).toMatchObject({
      code: 'variables_too_large',
      error: expect.stringContaining('262144'),
    })
  })

  test('200: each change makes a waiting run stale, and the caller an author', async () => {
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
    const authors = await harness.deps.store.tenant(org.id, async (tenant) =>
      unwrap(tenant).db('workspace_authorship').where({ userId: deployer.id }).pluck('what'),
    )
    expect(authors).toEqual(['variable a', 'variable a', 'variable a'])
  })

  test('403 and 404: a Viewer may only read; another workspace’s variable', async () => {
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
