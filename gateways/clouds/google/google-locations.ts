import { CloudFault } from '../cloud-fault.ts'

/** Google takes no more comparisons in one query ("Search query syntax" of Cloud Asset Inventory). */
const maxComparisons = 10

/**
 * What to ask for the regions of an account, in one query or in several, whose pages follow each other. A cursor
 * names the query where there are several, so that a look goes on at its page after a crash.
 */
export function googleLocations(regions: readonly string[] | null) {
  const queries = regions ? queriesFor(regions) : [undefined]
  const isOne = queries.length === 1
  const names = regions?.map((name) => name.toLowerCase())
  return {
    /** The query and the page of a cursor. */
    at(cursor: string | null): { number: number; query: string | undefined; token: string | null } {
      if (isOne || cursor === null) return { number: 0, query: queries[0], token: cursor }
      const [, number = '', token = ''] = /^(\d{1,3}) (.*)$/s.exec(cursor) ?? []
      const query = queries[Number(number)]
      if (number === '' || query === undefined)
        throw new CloudFault('page_token', 'The page token is none of this account.')
      return { number: Number(number), query, token: token === '' ? null : token }
    },

    /** The cursor after a page of this query; null after the last one. */
    next(number: number, token: string | null): string | null {
      if (isOne) return token
      if (token !== null) return `${number} ${token}`
      return number + 1 < queries.length ? `${number + 1} ` : null
    },

    /**
     * Google compares words, of which `us-central1-a` has those of `us-central1`, but so has `x-us-central1`. A
     * region is meant with its zones and nothing else, by the same rule as in store/clouds/merge-place.ts.
     */
    covers(location: string): boolean {
      const found = location.toLowerCase()
      return !names || names.some((name) => found === name || found.startsWith(`${name}-`))
    },
  }
}

function queriesFor(regions: readonly string[]): string[] {
  const names = regions.filter((name) => /^[A-Za-z0-9-]{1,60}$/.test(name))
  const count = Math.max(1, Math.ceil(names.length / maxComparisons))
  return Array.from({ length: count }, (_, at) => {
    const some = names.slice(at * maxComparisons, (at + 1) * maxComparisons)
    return `location:(${some.join(' OR ')})`
  })
}
