import { eventually, type GitHarness } from '../harness/git/git-harness.ts'
import type { World } from './world.ts'

/** A repository that is connected, with a version that was written and one that somebody else was quicker than. */
export async function connectRepository(harness: GitHarness, world: World): Promise<void> {
  const { org, owner, author, at } = world
  const repo = 'northwind/infra'
  await harness.peer.createRepository(repo, { 'README.md': 'mine\n' })
  const { connection } = (await owner.post('/api/git/connections', harness.body(repo))).json()
  const workspace = await org.workspace({ by: author })
  const name = 'edge-network'
  await owner.patch(workspace.url, { name, gitConnectionId: connection.id })
  const become = async (state: string) =>
    eventually(async () => {
      const { hydrations } = (await owner.get(`${workspace.url}/hydrations`)).json()
      return hydrations[0]?.state === state
    })
  await become('written')
  const file = Object.keys(await harness.peer.tree(repo)).find((path) => path.endsWith('main.tf'))
  if (!file) throw new Error('nothing was written into the repository')
  await harness.peer.edit(repo, { write: { [file]: '# changed by somebody else\n' } })
  await author.put(`${workspace.url}/configuration`, { files: { 'main.tf': '# ours\n' } })
  await become('diverged')
  at['workspace-git'] = `/workspaces/${workspace.id}?tab=git`
}
