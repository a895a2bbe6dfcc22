import { expect } from 'vitest'
import { gitHarness, type GitHarness, type peerMakers } from '../../harness/git/git-harness.ts'
import type { TestOrganization } from '../../harness/test-organization.ts'
import type { TestUser } from '../../harness/test-user.ts'

export const main = (word: string) => `resource "terraform_data" "one" { input = "${word}" }\n`
export const git = { kind: 'git' }

type MakePeer = (typeof peerMakers)[keyof typeof peerMakers]
export type GitWorld = Awaited<ReturnType<typeof openGitWorld>>

/**
 * One provider, an organization, and its Owner, who connects repositories and makes workspaces from
 * them.
 */
export async function openGitWorld(makePeer: MakePeer) {
  const harness: GitHarness = await gitHarness(makePeer)
  const org: TestOrganization = await harness.organization()
  const user: TestUser = await org.user('Owner')
  let counter = 0
  const newName = (kind: string) => `${kind}-${(counter += 1)}`
  return {
    harness,
    org,
    user,
    newName,
    /** Creates a repository with these files and connects it. */
    connect: async (files: Record<string, string> = { 'live/main.tf': main('a') }) => {
      const repo = `acme/${newName('code')}`
      await harness.peer.createRepository(repo, files)
      const body = harness.body(repo, { repoType: 'application' })
      const made = await user.post('/api/git/connections', body)
      expect(made.statusCode, made.body).toBe(201)
      return { repo, gitConnectionId: Number(made.json().connection.id) }
    },
    workspace: async (fields: Record<string, unknown>) => {
      const made = await user.post('/api/workspaces', { name: newName('code'), ...fields })
      expect(made.statusCode, made.body).toBe(201)
      return { ...made.json().workspace, url: `/api/workspaces/${made.json().workspace.id}` }
    },
  }
}
