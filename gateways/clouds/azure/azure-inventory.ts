import type { FoundResource, Place } from '../../../domain/clouds/cloud-account.ts'
import type { Places, ResourcePage } from '../cloud.ts'
import { assertPageSize } from '../full-page.ts'
import { foundResource } from '../found-resource.ts'
import { createPageSizes } from '../page-sizes.ts'
import { createPageWalk } from '../page-walk.ts'
import type { AzureSession } from './azure-session.ts'
import { checkRights, checkStillReads, graphRight } from './check-rights.ts'

/** The whole account is one place: Azure Resource Graph lists all regions in one query, in pages of 1,000. */
export function azureInventory(session: AzureSession) {
  const checkToken = createPageWalk()
  const sized = createPageSizes(1_000)
  return {
    async places(signal?: AbortSignal): Promise<Places> {
      // Without the right nothing is listed: all would be marked gone.
      const readable = await checkRights(session, signal)
      const whole: Place = { region: '', service: '', state: 'ok', reason: null }
      if (!readable) return { coverage: 'full', places: [whole] }
      return { coverage: 'partial', places: [{ ...whole, readable }] }
    },
    async resources(
      place: Place,
      cursor: string | null,
      signal?: AbortSignal,
    ): Promise<ResourcePage> {
      const query = queryFor(session.target.regions)
      const from = cursor === null ? {} : { skipToken: cursor }
      const { data, skipToken } = await sized(async (top) =>
        queryGraph(session, { query, top, ...from, signal }),
      )
      assertPageSize(data, 1_000)
      if (skipToken) checkToken('', cursor, skipToken)
      else await checkStillReads(session, place, signal)
      return { resources: data.flatMap(toResource), next: skipToken || null }
    },
  }
}

export async function queryGraph(
  session: AzureSession,
  options: { query: string; top: number; skipToken?: string; signal: AbortSignal | undefined },
): Promise<{ data: unknown[]; skipToken: string | undefined }> {
  const { query, top, skipToken, signal } = options
  const { target } = session
  const group = /^managementGroups\/(.+)$/.exec(target.accountId)?.[1]
  try {
    const client = await session.graph()
    const answer = await client.resources(
      {
        query,
        ...(group === undefined
          ? { subscriptions: [target.accountId] }
          : { managementGroups: [group] }),
        options: {
          top,
          resultFormat: 'objectArray',
          ...(skipToken && { skipToken }),
        },
      },
      signal ? { abortSignal: signal } : {},
    )
    // The client reads the list of rows as an object whose keys are their places.
    return { data: Object.values(answer.data ?? {}), skipToken: answer.skipToken }
  } catch (error) {
    throw session.fault(error, graphRight)
  }
}

/** Ordered by id, since a page token is only good for rows in a fixed order. */
function queryFor(regions: string[] | null): string {
  // A region's name is letters and digits; the query language has no parameters.
  const names = regions?.filter((name) => /^[A-Za-z0-9]{1,60}$/.test(name)) ?? []
  const where = regions
    ? `| where location in~ (${names.map((name) => `'${name}'`).join(', ')})`
    : ''
  return [
    'resources',
    "| union (resourcecontainers | where type =~ 'microsoft.resources/subscriptions/resourcegroups')",
    where,
    '| project id, name, type, location, tags',
    '| order by id asc',
  ]
    .filter(Boolean)
    .join('\n')
}

function toResource(row: unknown): FoundResource[] {
  if (typeof row !== 'object' || row === null || !('id' in row)) return []
  const text = (name: string): string => {
    const value = Object.entries(row).find(([key]) => key === name)?.[1]
    return typeof value === 'string' ? value : ''
  }
  const cloudId = text('id').toLowerCase()
  if (cloudId === '') return []
  const type = text('type').toLowerCase()
  return [
    foundResource({
      cloudId,
      service: type.split('/')[0] ?? '',
      type,
      name: text('name'),
      region: text('location').toLowerCase(),
      tags: tagsOf('tags' in row ? row.tags : undefined),
    }),
  ]
}

function tagsOf(tags: unknown): Record<string, string> {
  if (typeof tags !== 'object' || tags === null) return {}
  return Object.fromEntries(
    Object.entries(tags).map(([key, value]) => [key, typeof value === 'string' ? value : '']),
  )
}
