import type { BoundedPage, ListPage } from '../../store/scim/list-in-bytes.ts'

type Source<T> = {
  list: (page: ListPage) => Promise<BoundedPage<T>>
  count: (page: ListPage) => Promise<number>
}

/** One page and the total, which is only counted if the page does not tell it. */
export async function readPage<T>(
  page: ListPage,
  { list, count }: Source<T>,
): Promise<{ rows: T[]; totalResults: number }> {
  if (page.count === 0) return { rows: [], totalResults: await count(page) }
  const { rows, found } = await list(page)
  const isLast = found < page.count && (found > 0 || page.startIndex === 1)
  const totalResults = isLast ? page.startIndex - 1 + found : await count(page)
  return { rows, totalResults }
}

/** RFC 7644 3.4.2. */
export const listResponse = (
  resources: Array<Record<string, unknown>>,
  { startIndex, totalResults }: { startIndex: number; totalResults: number },
) => ({
  schemas: ['urn:ietf:params:scim:api:messages:2.0:ListResponse'],
  totalResults,
  startIndex,
  itemsPerPage: resources.length,
  Resources: resources,
})
