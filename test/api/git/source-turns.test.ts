import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { resolveHydration } from '../../../api/git/resolve-hydration.ts'
import type { Caller } from '../../../domain/access/caller.ts'
import { gitHarness, peerMakers, type GitHarness } from '../../harness/git/git-harness.ts'

let harness: GitHarness
beforeAll(async () => {
  harness = await gitHarness(peerMakers.githubPeer, { worker: false })
})
afterAll(async () => harness?.close())

/** An organization that has this many workspaces of one repository. */
async function workspacesOf(repo: string, count: number) {
  await harness.peer.createRepository(repo, { 'live/main.tf': 'locals {}\n' })
  const user = await (await harness.organization()).user('Owner')
  const connected = await user.post(
    '/api/git/connections',
    harness.body(repo, { repoType: 'application' }),
  )
  const gitConnectionId = connected.json().connection.id
  const urls: string[] = []
  for (let index = 0; index < count; index += 1) {
    const fields = { name: `code-${index}`, gitConnectionId, source: { kind: 'git' }, path: 'live' }
    const made = await user.post('/api/workspaces', fields)
    expect(made.statusCode, made.body).toBe(201)
    urls.push(`/api/workspaces/${made.json().workspace.id}`)
  }
  return { start: async () => Promise.all(urls.map(async (url) => user.post(`${url}/plan`))) }
}

test('starts of one organization read the files of two workspaces at once; another need not wait', async () => {
  const many = await workspacesOf('acme/many', 5)
  const other = await workspacesOf('acme/other', 1)
  const opened = Promise.withResolvers<void>()
  const asked = { many: 0, other: 0 }
  harness.peer.server.fault = async ({ url }, when) => {
    const name = /\/repos\/acme\/(many|other)$/.exec(url.pathname)?.[1] as 'many' | 'other'
    if (when === 'after' || name === undefined) return undefined
    asked[name] += 1
    await opened.promise
    return undefined
  }
  const starts = many.start()
  await vi.waitFor(() => expect(asked.many).toBe(2))
  const theirs = other.start()
  await vi.waitFor(() => expect(asked.other).toBe(1))
  expect(asked.many).toBe(2)
  opened.resolve()
  for (const { statusCode, body } of [...(await starts), ...(await theirs)])
    expect(statusCode, body).toBe(201)
  expect(asked.many).toBe(5)
})

test('decisions for `theirs` of one organization read the files of two workspaces at once', async () => {
  const opened = Promise.withResolvers<void>()
  let begun = 0
  const store = {
    tenant: async () => {
      begun += 1
      await opened.promise
      throw new Error('on purpose')
    },
  }
  const deps = { ...harness.deps, store } as unknown as typeof harness.deps
  const decide = async (organizationId: number) =>
    resolveHydration(deps, { organizationId } as Caller, { id: 1, hydrationId: 1, take: 'theirs' })
  const all = Promise.allSettled([decide(-1), decide(-1), decide(-1), decide(-2)])
  await vi.waitFor(() => expect(begun).toBe(3))
  opened.resolve()
  await all
  expect(begun).toBe(4)
})
