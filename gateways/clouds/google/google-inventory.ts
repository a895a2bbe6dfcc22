import type { FoundResource, Place } from '../../../domain/clouds/cloud-account.ts'
import type { Places, ResourcePage } from '../cloud.ts'
import { assertPageSize } from '../full-page.ts'
import { foundResource } from '../found-resource.ts'
import { createPageSizes } from '../page-sizes.ts'
import { createPageWalk } from '../page-walk.ts'
import { grantedRights, refusedSearch } from './check-project.ts'
import { googleLocations } from './google-locations.ts'
import type { GoogleSession } from './google-session.ts'

export const searchRight = 'cloudasset.assets.searchAllResources'

/** The whole account is one place: Cloud Asset Inventory searches all regions at once, in pages of 500. */
export function googleInventory(session: GoogleSession) {
  const checkToken = createPageWalk()
  const sized = createPageSizes(500)
  const locations = googleLocations(session.target.regions)
  return {
    async places(): Promise<Places> {
      const whole: Place = { region: '', service: '', state: 'ok', reason: null }
      return { coverage: 'full', places: [whole] }
    },
    async resources(
      _place: Place,
      cursor: string | null,
      signal?: AbortSignal,
    ): Promise<ResourcePage> {
      const { number } = locations.at(cursor)
      const { results, nextPageToken } = await sized(async (size) =>
        searchPage(session, { size, cursor, signal }),
      ).catch(async (error: unknown) => {
        throw await refusedSearch(session, error, async () => grantedRights(session, signal))
      })
      const token = typeof nextPageToken === 'string' && nextPageToken !== '' ? nextPageToken : null
      const next = locations.next(number, token)
      if (next !== null) checkToken('', cursor, next)
      const found = Array.isArray(results) ? results : []
      assertPageSize(found, 500)
      const resources = found.flatMap(toResource)
      return { resources: resources.filter(({ region }) => locations.covers(region)), next }
    },
  }
}

export async function searchPage(
  session: GoogleSession,
  page: { size: number; cursor: string | null; signal: AbortSignal | undefined },
): Promise<Record<string, unknown>> {
  const { scope, target } = session
  const { query, token } = googleLocations(target.regions).at(page.cursor)
  return session.call({
    url: `https://cloudasset.googleapis.com/v1/${scope}:searchAllResources`,
    action: searchRight,
    query: {
      pageSize: String(page.size),
      readMask: 'name,assetType,displayName,location,labels',
      ...(query !== undefined && { query }),
      ...(token !== null && { pageToken: token }),
    },
    signal: page.signal,
  })
}

function toResource(found: unknown): FoundResource[] {
  if (typeof found !== 'object' || found === null) return []
  const fields = new Map<string, unknown>(Object.entries(found))
  const text = (name: string): string => {
    const value = fields.get(name)
    return typeof value === 'string' ? value : ''
  }
  const cloudId = text('name')
  if (cloudId === '') return []
  const type = text('assetType')
  return [
    foundResource({
      cloudId,
      service: type.split('/')[0] ?? '',
      type,
      name: text('displayName') || cloudId.slice(cloudId.lastIndexOf('/') + 1),
      region: text('location'),
      tags: labelsOf(fields.get('labels')),
    }),
  ]
}

function labelsOf(labels: unknown): Record<string, string> {
  if (typeof labels !== 'object' || labels === null) return {}
  return Object.fromEntries(
    Object.entries(labels).map(([key, value]) => [key, typeof value === 'string' ? value : '']),
  )
}
