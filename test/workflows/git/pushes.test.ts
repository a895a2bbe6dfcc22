import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { webhookKeys } from '../../../domain/git/webhook-secret.ts'
import { placeOfWebhookSecret } from '../../../store/git/git-connections.ts'
import { eventually, gitHarness, hostsOf, type GitHarness } from '../../harness/git/git-harness.ts'
import type { TestUser } from '../../harness/test-user.ts'

const main = (word: string) => `resource "terraform_data" "one" { input = "${word}" }\n`
const git = { kind: 'git' }

describe.each(hostsOf('gitlabPeer', 'bitbucketDataCenterPeer'))('pushes to %s', (_, makePeer) => {
  let harness: GitHarness
  let organizationId: number
  let user: TestUser
  let counter = 0
  beforeAll(async () => {
    harness = await gitHarness(makePeer)
    const org = await harness.organization()
    organizationId = org.id
    user = await org.user('Owner')
  })
  afterAll(async () => harness.close())

  const connect = async (more: Record<string, unknown> = { repoType: 'application' }) => {
    counter += 1
    const repo = `acme/pushed-${counter}`
    await harness.peer.createRepository(repo, { 'live/main.tf': main('a') })
    const made = await user.post('/api/git/connections', harness.body(repo, more))
    expect(made.statusCode, made.body).toBe(201)
    const { connection } = made.json()
    const sealed = await rowOf(connection.id)
    if (sealed.webhookSecret) {
      const place = placeOfWebhookSecret(organizationId)
      const keys = webhookKeys(harness.deps.keyring.open(place, sealed.webhookSecret))
      harness.secrets.note('a webhook’s token', keys.token)
      harness.secrets.note('a webhook’s signing token', keys.signingToken)
    }
    return { repo, connection, id: Number(connection.id) }
  }
  const rowOf = async (id: number) =>
    harness.deps.store.platform('git_connections').where({ id }).first()
  const workspace = async (gitConnectionId: number, fields: Record<string, unknown> = {}) => {
    counter += 1
    const body = {
      name: `pushed-${counter}`,
      gitConnectionId,
      source: git,
      path: 'live',
      ...fields,
    }
    const made = await user.post('/api/workspaces', body)
    expect(made.statusCode, made.body).toBe(201)
    return { ...made.json().workspace, url: `/api/workspaces/${made.json().workspace.id}` }
  }
  const runs = async (url: string) => (await user.get(`${url}/runs`)).json().runs
  const handled = async (id: number, count: number) =>
    eventually(async () => {
      const rows = await harness.deps.store
        .platform('git_deliveries')
        .where({ connectionId: id })
        .whereNotNull('handledAt')
      return rows.length >= count && rows
    })
  const pushed = async (repo: string, word: string, path = 'live/main.tf') => {
    await harness.peer.edit(repo, { write: { [path]: main(word) } })
    return harness.peer.deliver(repo, { push: 'main' })
  }

  test('connecting registers a signed webhook; disconnecting removes it', async () => {
    const { repo, connection, id } = await connect()
    expect(connection.webhook).toEqual({ state: 'active', reason: null })
    const [hook, ...others] = await harness.peer.hooks(repo)
    expect(others).toEqual([])
    expect(hook?.url).toBe(`${harness.config.baseUrl}/api/git/webhooks/${id}`)
    expect(hook?.secret).toMatch(/^[0-9a-f]{64}$/)
    const row = await rowOf(id)
    expect(row.webhookSecret.toString('latin1')).not.toContain(hook?.secret)
    await user.delete(`/api/git/connections/${id}`)
    expect(await harness.peer.hooks(repo)).toEqual([])
  })

  test('without the right to create a webhook the connection works, and names the missing right', async () => {
    harness.peer.allowHooks(false)
    const { repo, connection, id } = await connect().finally(() => harness.peer.allowHooks(true))
    expect(connection.status).toBe('healthy')
    expect(connection.webhook).toEqual({
      state: 'unavailable',
      reason: expect.stringMatching(/^Pushes are not noticed: .*needs: /),
    })
    await user.post(`/api/git/connections/${id}/validate`)
    const { webhook } = (await user.get(`/api/git/connections/${id}`)).json().connection
    expect(webhook).toEqual({ state: 'active', reason: null })
    expect(await harness.peer.hooks(repo)).toHaveLength(1)
  })

  test('a push to the folder makes a version and a plan-only run; a push outside makes neither', async () => {
    const { repo, id } = await connect()
    const ws = await workspace(id)
    expect((await pushed(repo, 'b')).status).toBe(200)
    const run = await eventually(async () => (await runs(ws.url))[0])
    expect(run).toMatchObject({
      kind: 'plan',
      origin: { kind: 'push', id: run.commitSha },
      author: { id: null },
    })
    // The first line of its commit.
    expect([run.message, run.endMessage]).toEqual([run.commit.message.split('\n')[0], null])
    expect(run.configurationVersion).toBe(1)
    expect(run.author.label).toBe(`push of ${run.commitSha.slice(0, 7)}`)
    const done = await eventually(async () => {
      const found = (await user.get(`${ws.url}/runs/${run.id}`)).json().run
      return found.state !== 'running' && found
    })
    expect(done).toMatchObject({ state: 'succeeded', summary: { add: 1 } })

    const before = (await handled(id, 1)).length
    await pushed(repo, 'elsewhere', 'other/main.tf')
    await harness.peer.deliver(repo, { push: 'feature' })
    await handled(id, before + 2)
    expect(await runs(ws.url)).toHaveLength(1)
    expect((await user.get(ws.url)).json().workspace.configurationVersion).toBe(1)
  })

  test('with autoApply a push starts a run, which on production waits for approval', async () => {
    const { repo, id } = await connect()
    const ws = await workspace(id, { autoApply: true, criticality: 'production' })
    await pushed(repo, 'b')
    const run = await eventually(async () => {
      const [found] = await runs(ws.url)
      return found?.awaitingApproval && found
    })
    expect(run).toMatchObject({ kind: 'apply', number: 1 })
    const data = (await user.get('/api/console/data')).json()
    expect(data.waitingForMe.map((one: { id: number }) => one.id)).toContain(run.id)
    const approve = `/api/pipelines/${ws.pipelineId}/runs/${run.id}/approve`
    expect((await user.post(approve)).statusCode).toBe(200)
    await eventually(async () => (await runs(ws.url))[0]?.state === 'succeeded')
  })

  test('each delivery is handled once, by its id and by its commit', async () => {
    const { repo, id } = await connect()
    const ws = await workspace(id)
    await harness.peer.edit(repo, { write: { 'live/main.tf': main('b') } })
    const own = randomUUID()
    const again = async () => harness.peer.deliver(repo, { push: 'main' }, { id: own })
    const answers = await Promise.all(Array.from({ length: 10 }, again))
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 200))
    const other = await Promise.all([
      harness.peer.deliver(repo, { push: 'main' }),
      harness.peer.deliver(repo, { push: 'main' }),
    ])
    expect(other.map(({ status }) => status)).toEqual([200, 200])
    const rows = await handled(id, 3)
    expect(rows.filter((row: { deliveryId: string }) => row.deliveryId === own)).toHaveLength(1)
    expect((await again()).status).toBe(200)
    expect(await runs(ws.url)).toHaveLength(1)
  })

  test('404: a wrong signature, a missing one and an unknown connection get the same body', async () => {
    const { repo, id } = await connect()
    const ws = await workspace(id)
    const spoil = (headers: Record<string, string>) => {
      for (const name of ['x-hub-signature-256', 'x-hub-signature', 'webhook-signature'])
        if (headers[name]) headers[name] = headers[name].replace(/.{4}$/, 'AAA=')
    }
    const strip = (headers: Record<string, string>) => {
      for (const name of Object.keys(headers)) if (/signature/.test(name)) delete headers[name]
    }
    const wrong = await harness.peer.deliver(repo, { push: 'main' }, { tamper: spoil })
    const unsigned = await harness.peer.deliver(repo, { push: 'main' }, { tamper: strip })
    const nobody = await fetch(`${harness.config.baseUrl}/api/git/webhooks/999999`, {
      method: 'POST',
      body: '{}',
    })
    const odd = await fetch(`${harness.config.baseUrl}/api/git/webhooks/x`, { method: 'POST' })
    const same = '{"error":"Not found","code":"not_found"}'
    expect([wrong, unsigned]).toEqual([
      { status: 404, text: same },
      { status: 404, text: same },
    ])
    expect([nobody.status, await nobody.text(), odd.status, await odd.text()]).toEqual([
      404,
      same,
      404,
      same,
    ])
    const rows = await harness.deps.store.platform('git_deliveries').where({ connectionId: id })
    // The emulator also sends its own deliveries. None of the two refused ones is stored.
    expect(rows.every((row: { deliveryId: string }) => row.deliveryId.length < 30)).toBe(true)
    expect(await runs(ws.url)).toEqual([])
  })

  test('a failing host is retried, and the push is planned once', async () => {
    const { repo, id } = await connect()
    const ws = await workspace(id)
    await harness.peer.edit(repo, { write: { 'live/main.tf': main('b') } })
    let left = 3
    harness.peer.server.fault = (_request, when) => {
      if (when === 'after' || left === 0) return undefined
      left -= 1
      return left === 1 ? 'hang-up' : { status: 500, json: { message: 'oops' } }
    }
    try {
      await harness.peer.deliver(repo, { push: 'main' })
      await eventually(async () => (await runs(ws.url)).length === 1)
    } finally {
      harness.peer.server.fault = () => undefined
    }
    expect(left).toBe(0)
  })

  test('a push with an invalid configuration is recorded in the audit log', async () => {
    const { repo, id } = await connect()
    const ws = await workspace(id)
    await harness.peer.edit(repo, { write: { 'live/terraform.tfstate': '{}' } })
    await harness.peer.deliver(repo, { push: 'main' })
    const refused = await eventually(async () =>
      (await harness.events(user, 'git.push_refused')).at(-1),
    )
    expect(refused.detail).toMatchObject({ code: 'invalid' })
    expect(await runs(ws.url)).toEqual([])
  })

  test('the product’s own commits to a workspace’s folder start no run', async () => {
    const { repo, id } = await connect({ repoType: 'infra' })
    const ws = await workspace(id, { source: { kind: 'inline' }, path: '' })
    await user.put(`${ws.url}/configuration`, { files: { 'main.tf': main('a') } })
    await eventually(
      async () =>
        (await user.get(`${ws.url}/hydrations`)).json().hydrations[0]?.state === 'written',
    )
    expect((await harness.peer.deliver(repo, { push: 'main' })).status).toBe(200)
    await handled(id, 1)
    expect(await runs(ws.url)).toEqual([])
    expect((await user.get(ws.url)).json().workspace.configurationVersion).toBe(1)
    expect((await user.get(`${ws.url}/hydrations`)).json().hydrations).toHaveLength(1)
  })
})
