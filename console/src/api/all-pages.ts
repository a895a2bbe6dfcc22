type Page = { nextCursor: string | null }

/** More than any list that is read whole may have. */
const mostPages = 20

/** All pages of a list, for a list that has to be shown whole, such as the hosts of a deployment. */
export async function allPages<One extends Page>(
  load: (cursor: string | undefined) => Promise<One>,
): Promise<One[]> {
  const pages: One[] = []
  let cursor: string | undefined
  do {
    const page = await load(cursor)
    pages.push(page)
    cursor = page.nextCursor ?? undefined
  } while (cursor !== undefined && pages.length < mostPages)
  return pages
}
