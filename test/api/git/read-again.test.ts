import { afterAll, beforeAll, expect, test } from 'vitest'
import { unwrap } from '../../../store/driver/tenant.ts'
import { gitHarness, peerMakers, type GitHarness } from '../../harness/git/git-harness.ts'

let harness: GitHarness
beforeAll(async () => {
  harness = await gitHarness(peerMakers.githubPeer, { worker: false })
})
afterAll(async () => harness?.close())

test('files from before it was noted whether their modules can change are read again, once', async () => {
  await harness.peer.createRepository('acme/again', { 'live/main.tf': 'locals {}\n' })
  const org = await harness.organization()
  const user = await org.user('Owner')
  const connection = harness.body('acme/again', { repoType: 'application' })
  const gitConnectionId = (await user.post('/api/git/connections', connection)).json().connection.id
  const fields = { name: 'again', gitConnectionId, source: { kind: 'git' }, path: 'live' }
  const made = await user.post('/api/workspaces', fields)
  expect(made.statusCode, made.body).toBe(201)
  const { id: workspaceId } = made.json().workspace
  const versions = async () =>
    harness.deps.store.tenant(org.id, async (tenant) =>
      unwrap(tenant)
        .db('configuration_versions')
        .where({ workspaceId })
        .select('number', 'localModules'),
    )
  let trees = 0
  harness.peer.server.fault = async ({ url }, when) => {
    if (when === 'before' && url.pathname.includes('/git/trees/')) trees += 1
    return undefined
  }
  const start = async () => {
    const run = await user.post(`/api/workspaces/${workspaceId}/plan`)
    expect(run.statusCode, run.body).toBe(201)
    const read = trees > 0
    trees = 0
    return { read, versions: await versions() }
  }
  const noted = [{ number: 1, localModules: true }]
  expect(await start()).toEqual({ read: true, versions: noted })
  expect(await start()).toEqual({ read: false, versions: noted })
  await harness.deps.store.tenant(org.id, async (tenant) =>
    unwrap(tenant)
      .db('configuration_versions')
      .where({ workspaceId })
      .update({ localModules: null }),
  )
  expect(await start()).toEqual({ read: true, versions: noted })
  expect(await start()).toEqual({ read: false, versions: noted })
})
