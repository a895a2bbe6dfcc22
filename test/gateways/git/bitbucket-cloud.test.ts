import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { connectGitHost } from '../../../gateways/git/connect-git-host.ts'
import type { GitHost } from '../../../gateways/git/git-host.ts'
import { createOutbound } from '../../../gateways/outbound/outbound.ts'
import { bitbucketCloudPeer } from '../../harness/git/bitbucket-cloud-peer.ts'
import { failureOf } from '../../harness/git/each-provider.ts'
import type { GitPeer } from '../../harness/git/git-peer.ts'

describe('Bitbucket Cloud since April 2026', () => {
  let peer: GitPeer
  let hostWith: (token: string) => GitHost
  beforeAll(async () => {
    peer = await bitbucketCloudPeer()
    const { port, url: origin } = peer.server
    const outbound = createOutbound({ privateHosts: [{ use: 'git', host: '127.0.0.1', port }] })
    hostWith = (token) => connectGitHost(outbound, { product: 'bitbucket-cloud', origin, token })
    for (const name of ['acme/one', 'acme/two', 'beta/three'])
      await peer.createRepository(name, { 'main.tf': '# hi\n' })
  })
  afterAll(async () => peer.close())

  const personal = () => `ada@example.com:${peer.token()}`
  const namesOn = async (host: GitHost, page: number, near?: string) => {
    const { repos, nextPage } = await host.repositories({ page, ...(near && { near }) })
    return { names: repos.map(({ fullName }) => fullName), nextPage }
  }

  test('a user’s token lists the repositories of one workspace after the other', async () => {
    const host = hostWith(personal())
    await host.checkToken()
    const first = await namesOn(host, 1)
    expect(first.names).toEqual(['acme/one', 'acme/two'])
    expect(await namesOn(host, first.nextPage ?? 0)).toEqual({
      names: ['beta/three'],
      nextPage: null,
    })
  })

  test('an access token, which belongs to no user, lists the workspace of its repository', async () => {
    const host = hostWith(peer.token())
    await host.checkToken()
    await host.checkToken('acme/one')
    expect(await namesOn(host, 1, 'beta/three')).toEqual({ names: ['beta/three'], nextPage: null })
    const error = await failureOf(host.repositories({ page: 1 }))
    expect([error.code, error.message]).toEqual([
      'git_forbidden',
      expect.stringContaining('not accessible by this authentication mechanism'),
    ])
  })

  test('a token that is revoked is refused with and without a repository', async () => {
    const token = peer.token()
    peer.revoke(token)
    for (const repo of [undefined, 'acme/one'])
      expect((await failureOf(hostWith(token).checkToken(repo))).code).toBe('git_token_rejected')
  })

  test('the scopes of an API token are read under their own names', async () => {
    const found = await hostWith(peer.token()).repository('acme/one')
    expect(await hostWith(personal()).missingRights(found, 'write')).toEqual([])
    const reading = hostWith(`ada@example.com:${peer.token('read')}`)
    expect(await reading.missingRights(found, 'read')).toEqual([])
    expect(await reading.missingRights(found, 'write')).toEqual(['repository:write'])
  })

  test('the removed listings are not called', async () => {
    const asked = peer.server.calls.map((call) => call.split(' ')[1])
    for (const gone of ['/2.0/repositories', '/2.0/workspaces', '/2.0/user/permissions/workspaces'])
      expect(asked).not.toContain(gone)
  })

  test('a file that was moved is a change of the folder that it left and of the one that it came to', async () => {
    const host = hostWith(peer.token())
    const values = [
      { status: 'renamed', old: { path: 'live/x.tf' }, new: { path: 'docs/x.tf' } },
      { status: 'modified', old: { path: 'a.tf' }, new: { path: 'a.tf' } },
      { status: 'removed', old: { path: 'b.tf' }, new: null },
      { status: 'added', old: null, new: { path: 'c.tf' } },
    ]
    peer.server.fault = ({ path }) =>
      path.includes('/diffstat/') ? { status: 200, json: { values } } : undefined
    const range = { base: 'a'.repeat(40), head: 'b'.repeat(40) }
    const found = await host
      .compare('acme/one', range)
      .finally(() => void (peer.server.fault = () => undefined))
    expect(found).toEqual([
      { path: 'live/x.tf', change: 'removed' },
      { path: 'docs/x.tf', change: 'modified' },
      { path: 'a.tf', change: 'modified' },
      { path: 'b.tf', change: 'removed' },
      { path: 'c.tf', change: 'added' },
    ])
  })

  test('a restricted branch and a token without the write right get the same answer: both get a pull request', async () => {
    await peer.protect('acme/two', 'main')
    const host = hostWith(peer.token())
    const head = await host.head('acme/two', 'main')
    const change = { write: { 'a.tf': '# a\n' }, remove: [] }
    const request = { branch: 'main', expectedHead: head, message: 'a change', change }
    expect((await failureOf(host.commit('acme/two', request))).code).toBe('git_branch_protected')
    await peer.edit('acme/two', { write: { 'b.tf': '# b\n' } })
    expect((await failureOf(host.commit('acme/two', request))).code).toBe('git_head_moved')
  })
})
