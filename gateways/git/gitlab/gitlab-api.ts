import type { Gitlab } from '@gitbeaker/rest'
import { isStatus } from '../git-refusal.ts'

export type GitlabApi = InstanceType<typeof Gitlab<false>>

export async function gitlabHead(
  api: GitlabApi,
  name: string,
  branch: string,
): Promise<string | null> {
  try {
    return (await api.Branches.show(name, branch)).commit.id
  } catch (error) {
    if (isStatus(error, 404)) return null
    throw error
  }
}

/** The commit that a tag names, also where an annotated tag is between. */
export async function gitlabTag(api: GitlabApi, name: string, tag: string): Promise<string | null> {
  try {
    return (await api.Tags.show(name, tag)).commit.id
  } catch (error) {
    if (isStatus(error, 404)) return null
    throw error
  }
}

const perPage = 100

const asked = { pagination: 'offset', showExpanded: true, perPage } as const

/**
 * The items of a list, of no more pages than `maxPages`, and of a page no more than were asked for. A page may be
 * short though others follow: GitLab leaves out notes that the account may not see.
 */
export async function* gitlabList<T>(
  maxPages: number,
  ask: (at: typeof asked & { page: number }) => Promise<{
    data: T[]
    paginationInfo: { next: number | null }
  }>,
): AsyncGenerator<T, void> {
  for (let page = 1; page <= maxPages; page += 1) {
    const { data, paginationInfo } = await ask({ ...asked, page })
    yield* data.slice(0, perPage)
    if (paginationInfo.next === null) return
  }
}
