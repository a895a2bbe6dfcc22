import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { webhookKeys } from '../../../domain/git/webhook-secret.ts'
import { connectGitHost } from '../../../gateways/git/connect-git-host.ts'
import type { GitHost } from '../../../gateways/git/git-host.ts'
import { registerWebhook } from '../../../gateways/git/register-webhook.ts'
import { createOutbound } from '../../../gateways/outbound/outbound.ts'
import { bitbucketCloudPeer } from '../../harness/git/bitbucket-cloud-peer.ts'
import { bitbucketDataCenterPeer } from '../../harness/git/bitbucket-data-center-peer.ts'
import type { GitPeer } from '../../harness/git/git-peer.ts'
import { githubPeer } from '../../harness/git/github-peer.ts'
import { gitlabPeer } from '../../harness/git/gitlab-peer.ts'

const makers = { githubPeer, gitlabPeer, bitbucketCloudPeer, bitbucketDataCenterPeer }
const secret = Buffer.alloc(32, 3)
const url = 'https://cc.example/api/git/webhooks/7'

describe.each(Object.entries(makers))('webhooks and pull requests of %s', (_, makePeer) => {
  let peer: GitPeer
  let host: GitHost
  let counter = 0
  beforeAll(async () => {
    peer = await makePeer()
    const privateHosts = [{ use: 'git', host: '127.0.0.1', port: peer.server.port } as const]
    host = connectGitHost(createOutbound({ privateHosts }), {
      product: peer.product,
      origin: peer.server.url,
      token: peer.token(),
    })
  })
  afterAll(async () => peer.close())

  const repository = async () => {
    counter += 1
    const name = `acme/events-${counter}`
    await peer.createRepository(name, { 'a/x.tf': '# x\n', 'b/y.tf': '# y\n' })
    return name
  }
  const register = async (repo: string, at = url) =>
    registerWebhook(host, { product: peer.product, repo, url: at, secret })

  test('a webhook is there once however often it is registered, beside those of others', async () => {
    const repo = await repository()
    await register(repo, 'https://another.example/hook')
    const made = { state: 'active', url, reason: null, signed: true }
    expect(await register(repo)).toEqual(made)
    expect(await register(repo)).toEqual(made)
    const hooks = await peer.hooks(repo)
    expect(hooks.map((hook) => hook.url).toSorted()).toEqual(['https://another.example/hook', url])
    const own = hooks.find((hook) => hook.url === url)
    expect(own?.secret).toBe(webhookKeys(secret).token)
    await host.removeWebhook(repo, url)
    await host.removeWebhook(repo, url)
    expect((await peer.hooks(repo)).map((hook) => hook.url)).toEqual([
      'https://another.example/hook',
    ])
  })

  test('a right that is missing is told by name, and thrown at nobody', async () => {
    const repo = await repository()
    peer.allowHooks(false)
    const outcome = await register(repo).finally(() => peer.allowHooks(true))
    expect(outcome).toMatchObject({
      state: 'unavailable',
      reason: expect.stringMatching(/^Pushes are not noticed: the token may not .* It needs: \w/),
    })
  })

  test('a pull request, its changes since it parted, and whether it is of a fork', async () => {
    const repo = await repository()
    await peer.branch(repo, 'main', 'feature/one')
    await peer.edit(repo, { write: { 'b/y.tf': '# merged since\n' } })
    await peer.edit(repo, { branch: 'feature/one', write: { 'a/z.tf': '#\n' }, remove: ['a/x.tf'] })
    const number = await peer.openPull(repo, { from: 'feature/one' })
    const pull = await host.pull(repo, number)
    expect(pull).toEqual({ number, open: true, into: 'main', from: 'feature/one', fork: false })
    if (pull) expect((await host.changedPaths(repo, pull)).toSorted()).toEqual(['a/x.tf', 'a/z.tf'])
    const other = await peer.openPull(repo, { from: 'feature/one', fork: true })
    expect((await host.pull(repo, other))?.fork).toBe(true)
    expect(await host.pull(repo, 999)).toBeNull()
  })

  test('a comment is made, found by its words, written anew, and missed when it is gone', async () => {
    const repo = await repository()
    await peer.branch(repo, 'main', 'feature')
    await peer.edit(repo, { branch: 'feature', write: { 'a/z.tf': '#\n' } })
    const number = await peer.openPull(repo, { from: 'feature' })
    expect(await host.findComment(repo, { number, words: '<!-- one -->' })).toBeNull()
    await host.writeComment(repo, { number, id: null, body: 'somebody else’s' })
    const id = await host.writeComment(repo, { number, id: null, body: 'a\n<!-- one -->' })
    expect(await host.findComment(repo, { number, words: '<!-- one -->' })).toBe(id)
    expect(await host.writeComment(repo, { number, id, body: 'b\n<!-- one -->' })).toBe(id)
    expect(await peer.comments(repo, number)).toEqual(['somebody else’s', 'b\n<!-- one -->'])
    await peer.removeComments(repo, number)
    expect(await host.writeComment(repo, { number, id, body: 'c' })).toBeNull()
  })
})
