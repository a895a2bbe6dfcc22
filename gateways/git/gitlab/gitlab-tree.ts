import { submoduleId } from '../../../domain/git/blob-id.ts'
import { conflict, unavailable } from '../../../domain/errors.ts'
import { isStatus } from '../git-refusal.ts'

const perPage = 100
/** 10,000 entries: ten times the files that a configuration may have. */
const maxPages = 100
const maxBytes = 16 * 1_048_576
const maxMs = 60_000

type At = { commit: string; folder: string }

export type GitlabTree = {
  /** Path → blob id of every file below a folder. */
  all(name: string, at: At): Promise<Map<string, string>>
  /** The same of a folder that one page lists whole; undefined for a larger one. */
  small(name: string, at: At): Promise<Map<string, string> | undefined>
}

/**
 * Lists a folder page by page (GitLab, "List repository tree", keyset pagination). The host is
 * chosen by a user and may answer without end, so pages, bytes and time are bounded, and a page
 * that was seen before ends it. Of the link to the next page only its token is used: the token of
 * the connection must go to no address that the host names.
 */
export function gitlabTree(
  send: typeof globalThis.fetch,
  { origin, token }: { origin: string; token: string },
): GitlabTree {
  const small: GitlabTree['small'] = async (name, { commit, folder }) => {
    const url = treeUrl(origin, name, { commit, folder, next: undefined })
    const answer = await pageAt(send, url, { token, signal: AbortSignal.timeout(maxMs) })
    return answer?.next === undefined ? new Map(filesIn(answer?.entries ?? [])) : undefined
  }
  const all: GitlabTree['all'] = async (name, { commit, folder }) => {
    const files = new Map<string, string>()
    const seen = new Set<string>()
    const signal = AbortSignal.timeout(maxMs)
    let bytes = 0
    let next: string | undefined
    do {
      if (seen.size >= maxPages) throw tooLarge('entries')
      const url = treeUrl(origin, name, { commit, folder, next })
      const answer = await pageAt(send, url, { token, signal })
      // Before 15 an empty answer, since then a 404: the folder is not there.
      if (!answer) return new Map()
      bytes += answer.bytes
      if (bytes > maxBytes) throw tooLarge('bytes')
      for (const [path, id] of filesIn(answer.entries)) files.set(path, id)
      const first = JSON.stringify(answer.entries[0] ?? '')
      if (seen.has(first))
        throw unavailable('git_provider_unavailable', 'GitLab sends the same page again.')
      seen.add(first)
      next = answer.next
    } while (next !== undefined)
    return files
  }
  return { all, small }
}

type Entry = { path: string; id: string; type: string }

const filesIn = (entries: readonly Entry[]): Array<[path: string, id: string]> =>
  entries.flatMap(({ path, id, type }) =>
    type === 'tree' ? [] : [[path, type === 'commit' ? submoduleId(id) : id]],
  )

async function pageAt(
  send: typeof globalThis.fetch,
  url: URL,
  { token, signal }: { token: string; signal: AbortSignal },
): Promise<{ entries: Entry[]; bytes: number; next: string | undefined } | undefined> {
  try {
    const answer = await send(url, { headers: { 'private-token': token }, signal })
    const text = await answer.text()
    // As documented ("Repositories API").
    const entries = (await answer.json()) as Entry[]
    return { entries, bytes: Buffer.byteLength(text), next: nextOf(answer.headers) }
  } catch (error) {
    if (isStatus(error, 404)) return undefined
    throw error
  }
}

function treeUrl(
  origin: string,
  name: string,
  at: { commit: string; folder: string; next: string | undefined },
): URL {
  const url = new URL(
    `${origin}/api/v4/projects/${encodeURIComponent(name)}/repository/tree?recursive=true`,
  )
  const query = { ref: at.commit, pagination: 'keyset', per_page: String(perPage) }
  for (const [key, value] of Object.entries(query)) url.searchParams.set(key, value)
  if (at.folder !== '') url.searchParams.set('path', at.folder)
  if (at.next !== undefined) url.searchParams.set('page_token', at.next)
  return url
}

/** RFC 8288. */
function nextOf(headers: Headers): string | undefined {
  const link = /<([^<>]*)>\s*;\s*rel="?next"?/i.exec(headers.get('link') ?? '')?.[1]
  return link === undefined
    ? undefined
    : (URL.parse(link)?.searchParams.get('page_token') ?? undefined)
}

const tooLarge = (what: string) =>
  conflict('git_repository_too_large', `The folder has more ${what} than are listed of it.`)
