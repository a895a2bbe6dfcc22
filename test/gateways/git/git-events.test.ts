import { expect, test } from 'vitest'
import { webhookKeys } from '../../../domain/git/webhook-secret.ts'
import { registerWebhook } from '../../../gateways/git/register-webhook.ts'
import { eachProvider } from '../../harness/git/each-provider.ts'

const secret = Buffer.alloc(32, 3)
const url = 'https://cc.example/api/git/webhooks/7'

eachProvider('webhooks and pull requests of %s', (provider) => {
  const repository = async () =>
    (await provider.repository({ 'a/x.tf': '# x\n', 'b/y.tf': '# y\n' })).name
  const register = async (repo: string, at = url) =>
    registerWebhook(provider.host, { product: provider.peer.product, repo, url: at, secret })

  test('registering a webhook is idempotent, and other webhooks stay', async () => {
    const repo = await repository()
    await register(repo, 'https://another.example/hook')
    const made = { state: 'active', url, reason: null, signed: true }
    expect(await register(repo)).toEqual(made)
    expect(await register(repo)).toEqual(made)
    const hooks = await provider.peer.hooks(repo)
    expect(hooks.map((hook) => hook.url).toSorted()).toEqual(['https://another.example/hook', url])
    const own = hooks.find((hook) => hook.url === url)
    expect(own?.secret).toBe(webhookKeys(secret).token)
    await provider.host.removeWebhook(repo, url)
    await provider.host.removeWebhook(repo, url)
    expect((await provider.peer.hooks(repo)).map((hook) => hook.url)).toEqual([
      'https://another.example/hook',
    ])
  })

  test('a webhook that another registration has deleted meanwhile counts as deleted', async () => {
    const repo = await repository()
    await register(repo)
    provider.peer.server.fault = ({ method }) =>
      method === 'DELETE' ? { status: 404, json: { message: 'Not Found' } } : undefined
    try {
      expect(await register(repo)).toMatchObject({ state: 'active', url })
      await provider.host.removeWebhook(repo, url)
    } finally {
      provider.peer.server.fault = () => undefined
    }
  })

  test('a missing right is returned by name and not thrown', async () => {
    const repo = await repository()
    provider.peer.allowHooks(false)
    const outcome = await register(repo).finally(() => provider.peer.allowHooks(true))
    expect(outcome).toMatchObject({
      state: 'unavailable',
      reason: expect.stringMatching(/^Pushes are not noticed: the token may not .* It needs: \w/),
    })
  })

  test('an unreachable host, or one at its rate limit, is a retryable error', async () => {
    const repo = await repository()
    const limit = { status: 403, json: {}, headers: { 'retry-after': '5' } }
    for (const fault of ['hang-up', { status: 502, text: '' }, limit] as const) {
      provider.peer.server.fault = () => fault
      const outcome = await register(repo).finally(() => {
        provider.peer.server.fault = () => undefined
      })
      expect(outcome.state).toBe('pending')
    }
    expect(await register(repo)).toMatchObject({ state: 'active' })
  })

  test('a pull request, its changes since the merge base, and whether it comes from a fork', async () => {
    const repo = await repository()
    await provider.peer.branch(repo, 'main', 'feature/one')
    await provider.peer.edit(repo, { write: { 'b/y.tf': '# merged since\n' } })
    await provider.peer.edit(repo, {
      branch: 'feature/one',
      write: { 'a/z.tf': '#\n' },
      remove: ['a/x.tf'],
    })
    const number = await provider.peer.openPull(repo, { from: 'feature/one' })
    const pull = await provider.host.pull(repo, number)
    expect(pull).toEqual({ number, open: true, into: 'main', from: 'feature/one', fork: false })
    if (pull)
      expect((await provider.host.changedPaths(repo, pull))?.toSorted()).toEqual([
        'a/x.tf',
        'a/z.tf',
      ])
    const other = await provider.peer.openPull(repo, { from: 'feature/one', fork: true })
    expect((await provider.host.pull(repo, other))?.fork).toBe(true)
    expect(await provider.host.pull(repo, 999)).toBeNull()
  })

  test('a comment is created, found by its text, updated, and reported missing once deleted', async () => {
    const repo = await repository()
    await provider.peer.branch(repo, 'main', 'feature')
    await provider.peer.edit(repo, { branch: 'feature', write: { 'a/z.tf': '#\n' } })
    const number = await provider.peer.openPull(repo, { from: 'feature' })
    expect(await provider.host.findComment(repo, { number, words: '<!-- one -->' })).toBeNull()
    await provider.host.writeComment(repo, { number, id: null, body: 'somebody else’s' })
    const id = await provider.host.writeComment(repo, { number, id: null, body: 'a\n<!-- one -->' })
    expect(await provider.host.findComment(repo, { number, words: '<!-- one -->' })).toBe(id)
    expect(await provider.host.writeComment(repo, { number, id, body: 'b\n<!-- one -->' })).toBe(id)
    expect(await provider.peer.comments(repo, number)).toEqual([
      'somebody else’s',
      'b\n<!-- one -->',
    ])
    await provider.peer.removeComments(repo, number)
    expect(await provider.host.writeComment(repo, { number, id, body: 'c' })).toBeNull()
  })
})
