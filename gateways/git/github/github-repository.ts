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
