import type { Octokit } from '@octokit/rest'
import type { GitRepository } from '../git-host.ts'
import { isStatus } from '../git-refusal.ts'

export const place = (name: string): { owner: string; repo: string } => {
  const [owner = '', repo = ''] = name.split('/')
  return { owner, repo }
}

export async function headOf(
  octokit: Octokit,
  name: string,
  branch: string,
): Promise<string | null> {
  try {
    const { data } = await octokit.rest.git.getRef({ ...place(name), ref: `heads/${branch}` })
    return data.object.sha
  } catch (error) {
    // 409: the repository is empty.
    if (isStatus(error, 404, 409)) return null
    throw error
  }
}

/** An annotated tag may name another one. */
const maxNestedTags = 5

/** The commit that a tag names; null if there is none, or it names a tree or a blob. */
export async function tagOf(octokit: Octokit, name: string, tag: string): Promise<string | null> {
  const { git } = octokit.rest
  try {
    const { data } = await git.getRef({ ...place(name), ref: `tags/${tag}` })
    let named: { type: string; sha: string } = data.object
    for (let nested = 0; named.type === 'tag' && nested < maxNestedTags; nested += 1)
      named = (await git.getTag({ ...place(name), tag_sha: named.sha })).data.object
    return named.type === 'commit' ? named.sha : null
  } catch (error) {
    if (isStatus(error, 404, 409)) return null
    throw error
  }
}

type GithubRepository = {
  id: number
  full_name: string
  default_branch?: string
  private: boolean
  archived?: boolean
}

export const toRepository = (data: GithubRepository): GitRepository => ({
  id: String(data.id),
  fullName: data.full_name,
  defaultBranch: data.default_branch ?? null,
  private: data.private,
  archived: data.archived ?? false,
})
