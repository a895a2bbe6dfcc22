import { expect } from 'vitest'
import { eventually } from '../../harness/eventually.ts'
import type { GitHarness } from '../../harness/git/git-harness.ts'
import type { TestUser } from '../../harness/test-user.ts'

/** A workspace that is connected to its own repository. */
export async function hydratedWorkspace(
  { harness, user }: { harness: GitHarness; user: TestUser },
  counter: number,
) {
  const [repo, name] = [`acme/hydrate-${counter}`, `ws-${counter}`]
  await harness.peer.createRepository(repo, { 'other.txt': 'theirs\n' })
  const { id: gitConnectionId } = (
    await user.post('/api/git/connections', harness.body(repo))
  ).json().connection
  const { workspace } = (await user.post('/api/workspaces', { name, gitConnectionId })).json()
  const url = `/api/workspaces/${workspace.id}`
  const put = async (files: Record<string, string>) => {
    const answer = await user.put(`${url}/configuration`, { files })
    expect(answer.statusCode).toBe(201)
  }
  const ended = async (state: string, count = 1) =>
    eventually(async () => {
      const { hydrations } = (await user.get(`${url}/hydrations`)).json()
      const found = hydrations.filter((one: { state: string }) => one.state === state)
      return found.length >= count && found[0]
    })
  const folder = async () =>
    Object.fromEntries(
      Object.entries(await harness.peer.tree(repo))
        .filter(([path]) => path.startsWith(`workspaces/${name}/`))
        .map(([path, content]) => [path.slice(`workspaces/${name}/`.length), content]),
    )
  return { repo, name, url, put, ended, folder, connection: gitConnectionId, workspace }
}
