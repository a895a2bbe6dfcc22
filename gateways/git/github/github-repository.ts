import type { Octokit } from '@octokit/rest'
import { conflict } from '../../../domain/errors.ts'
import type { GitRepository } from '../git-host.ts'
import { isStatus } from '../git-refusal.ts'

export const place = (name: string): { owner: string; repo: string } => {
  const [owner = '', repo = ''] = name.split('/')
  return { owner, repo }
}

export async function filesOf(
  octokit: Octokit,
  name: string,
  { tree, folder }: { tree: string; folder: string },
): Promise<Map<string, string>> {
  const { git } = octokit.rest
  let at = tree
  // Down to the folder first: the whole repository's tree may be too large to be told at once.
  for (const segment of folder.split('/').filter(Boolean)) {
    const { data } = await git.getTree({ ...place(name), tree_sha: at })
    const next = data.tree.find(({ path, type }) => path === segment && type === 'tree')
    if (!next?.sha) return new Map()
    at = next.sha
  }
  const { data } = await git.getTree({ ...place(name), tree_sha: at, recursive: '1' })
  if (data.truncated)
    throw conflict('git_repository_too_large', 'The repository has more files than GitHub lists.')
  const prefix = folder === '' ? '' : `${folder}/`
  return new Map(
    data.tree
      .filter(({ type }) => type !== 'tree')
      .map(({ path, sha }) => [`${prefix}${path}`, sha ?? '']),
  )
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
