import { afterAll, beforeAll, expect, test } from 'vitest'
import { blobId } from '../../../domain/git/blob-id.ts'
import { unwrap } from '../../../store/driver/tenant.ts'
import { configurationReaders } from '../../harness/configuration-readers.ts'
import { gitHarness, peerMakers, type GitHarness } from '../../harness/git/git-harness.ts'

let harness: GitHarness
beforeAll(async () => {
  harness = await gitHarness(peerMakers.githubPeer, { worker: false })
})
afterAll(async () => harness?.close())

/** A workspace of the folder `live` of a repository with these files. */
async function workspaceOf(name: string, files: Record<string, string>) {
  const repo = `acme/${name}`
  await harness.peer.createRepository(repo, files)
  const org = await harness.organization()
  const user = await org.user('Owner')
  const connection = harness.body(repo, { repoType: 'application' })
  const gitConnectionId = (await user.post('/api/git/connections', connection)).json().connection.id
  const fields = { name, gitConnectionId, source: { kind: 'git' }, path: 'live' }
  const made = await user.post('/api/workspaces', fields)
  expect(made.statusCode, made.body).toBe(201)
  return { repo, org, user, workspaceId: Number(made.json().workspace.id) }
}

test('files from before their blobs and modules were noted are read again, once', async () => {
  const { org, user, workspaceId } = await workspaceOf('again', { 'live/main.tf': 'locals {}\n' })
  const versions = async () =>
    harness.deps.store.tenant(org.id, async (tenant) =>
      unwrap(tenant)
        .db('configuration_versions')
        .where({ workspaceId })
        .select('number', 'localModules', 'fileBlobs'),
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
  const noted = [{ number: 1, localModules: true, fileBlobs: [blobId('locals {}\n')] }]
  expect(await start()).toEqual({ read: true, versions: noted })
  expect(await start()).toEqual({ read: false, versions: noted })
  await harness.deps.store.tenant(org.id, async (tenant) =>
    unwrap(tenant)
      .db('configuration_versions')
      .where({ workspaceId })
      .update({ localModules: null, fileBlobs: null }),
  )
  expect(await start()).toEqual({ read: true, versions: noted })
  expect(await start()).toEqual({ read: false, versions: noted })
})

test('10 MiB are not opened where the new commit has the same files, and not here where it has others', async () => {
  const large = `# ${'x'.repeat(100_000)}\n`
  const files = { 'live/main.tf': 'locals {}\n', 'live/large.tf': large }
  const { repo, user, workspaceId } = await workspaceOf('large', files)
  const number = async () => {
    const run = await user.post(`/api/workspaces/${workspaceId}/plan`)
    expect(run.statusCode, run.body).toBe(201)
    const { configuration } = (
      await user.get(`/api/workspaces/${workspaceId}/configuration`)
    ).json()
    return { number: configuration.number, files: configuration.files }
  }
  const endReaders = async () => {
    configurationReaders().forEach((pid) => process.kill(pid, 'SIGKILL'))
    await expect.poll(configurationReaders, { timeout: 20_000, interval: 5 }).toEqual([])
  }
  expect(await number()).toEqual({ number: 1, files })
  expect(configurationReaders()).toHaveLength(1)
  await endReaders()
  await harness.peer.edit(repo, { write: { 'docs/a.md': 'a\n' } })
  expect(await number()).toEqual({ number: 1, files })
  expect(configurationReaders()).toEqual([])
  await harness.peer.edit(repo, { write: { 'live/main.tf': 'locals { a = 1 }\n' } })
  expect(await number()).toEqual({
    number: 2,
    files: { ...files, 'live/main.tf': 'locals { a = 1 }\n' },
  })
  expect(configurationReaders()).toHaveLength(1)
  await endReaders()
})
