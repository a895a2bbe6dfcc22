import { treeId } from '../../../domain/git/tree-id.ts'
import type { GitlabApi } from './gitlab-api.ts'
import { isStatus } from '../git-refusal.ts'

const perPage = 100

/**
 * GitLab lists a hundred files a call, but it tells a folder's id, and that stands for all of its
 * files. Undefined: they are others than expected, or too few for it to matter.
 */
export async function gitlabExpectedFiles(
  api: GitlabApi,
  name: string,
  at: { commit: string; folder: string; expected?: ReadonlyMap<string, string> | undefined },
): Promise<Map<string, string> | undefined> {
  const { commit, folder, expected = new Map<string, string>() } = at
  const below = new Map([...expected].filter(([path]) => path.startsWith(`${folder}/`)))
  if (below.size <= perPage) return undefined
  const cut = folder.lastIndexOf('/')
  const [parent, own] = [folder.slice(0, Math.max(0, cut)), folder.slice(cut + 1)]
  try {
    const siblings = await api.Repositories.allRepositoryTrees(name, {
      ref: commit,
      perPage,
      pagination: 'keyset',
      ...(parent !== '' && { path: parent }),
    })
    const found = siblings.find((sibling) => sibling.name === own && sibling.type === 'tree')
    const wanted = new Map([...below].map(([path, id]) => [path.slice(folder.length + 1), id]))
    return found?.id === treeId(wanted) ? below : undefined
  } catch (error) {
    if (isStatus(error, 404)) return undefined
    throw error
  }
}
