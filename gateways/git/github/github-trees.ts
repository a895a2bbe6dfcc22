import type { Octokit } from '@octokit/rest'
import { conflict } from '../../../domain/errors.ts'
import { submoduleId } from '../../../domain/git/blob-id.ts'
import { inTurns } from '../in-turns.ts'
import { pickAnswer } from '../pick-answer.ts'
import { place } from './github-repository.ts'
import { octokitFetch } from './octokit-fetch.ts'

/** Path → blob id of every file below a folder. */
export type GithubFiles = (
  name: string,
  at: { tree: string; folder: string },
) => Promise<Map<string, string>>

type Entry = { path?: string; type?: string; sha?: string }
type Tree = { truncated?: boolean; tree?: Entry[] }

/** The most that GitHub lists (docs: "Get a tree"), with six fields each. */
const maxEntries = 100_000
const limits = { provider: 'GitHub', maxItems: maxEntries + 1, maxFields: 700_000 }
const wanted = { truncated: true, tree: [{ path: true, type: true, sha: true }] } as const
const entriesOfPart = 5_000

/** `unread` is a fetch whose answers nobody parsed: a tree is the one answer of GitHub that may be this large. */
export function githubFiles(octokit: Octokit, unread: typeof globalThis.fetch): GithubFiles {
  const request = {
    fetch: octokitFetch(unread, async (answer) => pickAnswer(answer, wanted, limits)),
  }
  const treeAt = async (name: string, sha: string, more: { recursive?: string } = {}) => {
    const { data } = await octokit.rest.git.getTree({
      ...place(name),
      tree_sha: sha,
      ...more,
      request,
    })
    // What `pickAnswer` made of it: a list is a list, and its items are objects, with any of the fields.
    const { truncated = false, tree = [] } = (data ?? {}) as Tree
    return { entries: tree, isCut: truncated || tree.length > maxEntries }
  }
  return async (name, { tree, folder }) => {
    let at = tree
    // Down to the folder first: the whole repository's tree may be too large to be told at once.
    for (const segment of folder.split('/').filter(Boolean)) {
      const above = await treeAt(name, at)
      const next = above.entries.find(({ path, type }) => path === segment && type === 'tree')
      // It may be among what the answer leaves out.
      if (!next?.sha && above.isCut) throw tooLarge('more files')
      if (!next?.sha) return new Map()
      at = next.sha
    }
    const { entries, isCut } = await treeAt(name, at, { recursive: '1' })
    if (isCut) throw tooLarge('more files')
    return inTurns(filesIn(entries, folder === '' ? '' : `${folder}/`))
  }
}

function* filesIn(entries: readonly Entry[], prefix: string): Generator<void, Map<string, string>> {
  const files = new Map<string, string>()
  for (const [at, { path, type, sha = '' }] of entries.entries()) {
    // Left out because it is longer than is read. A file that is not listed could be changed without anybody knowing.
    if (typeof path !== 'string') throw tooLarge('longer paths')
    if (type !== 'tree') files.set(`${prefix}${path}`, type === 'commit' ? submoduleId(sha) : sha)
    if (at % entriesOfPart === entriesOfPart - 1) yield
  }
  return files
}

const tooLarge = (what: string) =>
  conflict('git_repository_too_large', `The repository has ${what} than GitHub lists.`)
