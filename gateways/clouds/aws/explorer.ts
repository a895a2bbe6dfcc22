import type { ResourceExplorer2Client, Resource } from '@aws-sdk/client-resource-explorer-2'
import type { AwsCredentialIdentityProvider } from '@smithy/types'
import type { FoundResource } from '../../../domain/clouds/cloud-account.ts'
import { CloudFault } from '../cloud-fault.ts'
import { assertPageSize } from '../full-page.ts'
import { foundResource } from '../found-resource.ts'
import { createPageSizes } from '../page-sizes.ts'
import { type AwsAccount, asked, type Index, until } from './aws-account.ts'
import { type AwsSettings, globalRegion } from './aws-settings.ts'
import { shortOfView } from './explorer-view.ts'
import { parseArn } from './parse-arn.ts'

export type PageOf = { region: string; token: string | undefined; signal: AbortSignal | undefined }
export type AwsPage = { resources: FoundResource[]; token: string | undefined }

/** AWS Resource Explorer: lists all resources of a region, in pages of 1,000, where the account has an index. */
export interface Explorer {
  /** The region to ask for the resources of this one; undefined where none lists them. */
  regionFor(region: string, signal?: AbortSignal): Promise<string | undefined>
  page(of: PageOf & { at: string }): Promise<AwsPage>
  /**
   * Whether it may be listed from, where there is an index: a right that is missing is thrown. Answers why its
   * default view is not used, or null.
   */
  check(signal: AbortSignal): Promise<string | null>
}

export function createExplorer(
  settings: AwsSettings,
  credentials: AwsCredentialIdentityProvider,
  account: AwsAccount,
): Explorer {
  let indexes: Promise<Index[]> | undefined
  const { accountId } = settings.target

  const clientIn = clientsOf(settings, credentials)
  const sized = createPageSizes(1_000)
  const list = async (at: string, asked: Listing) => listResources(await clientIn(at), asked)
  const shortOf = async (at: string, { ViewArn }: Viewed, signal: AbortSignal | undefined) =>
    shortOfView(await clientIn(at), { ViewArn, at }, signal)
  const hasView = onceEach(async (at, signal) =>
    asked('resource-explorer-2:ListResources', async () => {
      const asked = { query: queryFor(at, settings), max: 1, token: undefined, signal }
      const answer = await list(at, asked).catch(absent)
      return answer !== false && (await shortOf(at, answer, signal).catch(denied)) === null
    }),
  )
  const stateIn = onceEach(async (region, signal) => {
    const state = await stateOfIndex(await clientIn(region), signal).catch(denied)
    return state === false ? undefined : state
  })

  return {
    async regionFor(region, signal) {
      indexes ??= account.indexes(signal).catch(noRight)
      const known = await kept(indexes, () => (indexes = undefined))
      if (!known.some((index) => index.region === region)) return undefined
      const at = known.find(({ isAggregator }) => isAggregator)?.region ?? region
      const isFilled = await isWholeAt(at, region, async (one) => stateIn(one, signal))
      return isFilled && (await hasView(at, signal)) ? at : undefined
    },

    async check(signal) {
      const known = await account.indexes(signal)
      const at = (known.find(({ isAggregator }) => isAggregator) ?? known[0])?.region
      if (at === undefined || (await stateOfIndex(await clientIn(at), signal)) !== 'ACTIVE')
        return null
      return asked('resource-explorer-2:ListResources', async () => {
        const asked = { query: queryFor(at, settings), max: 1, token: undefined, signal }
        const answer = await list(at, asked).catch(withoutView)
        return answer ? shortOf(at, answer, signal) : null
      })
    },

    page: async ({ region, at, token, signal }) =>
      sized(async (max) =>
        asked('resource-explorer-2:ListResources', async () => {
          const query = queryFor(region, settings)
          const { Resources = [], NextToken } = await list(at, { query, max, token, signal })
          assertPageSize(Resources, max)
          // A view of an organization lists its other accounts too, which are connected by themselves.
          const own = Resources.filter((one) => (one.OwningAccountId ?? accountId) === accountId)
          return { resources: own.flatMap((one) => toResource(one, region)), token: NextToken }
        }),
      ),
  }
}

/** One client a region. */
function clientsOf(settings: AwsSettings, credentials: AwsCredentialIdentityProvider) {
  const clients = new Map<string, Promise<ResourceExplorer2Client>>()
  return async (region: string): Promise<ResourceExplorer2Client> => {
    const made =
      clients.get(region) ??
      import('@aws-sdk/client-resource-explorer-2').then(
        ({ ResourceExplorer2Client }) =>
          new ResourceExplorer2Client(settings.forService('resources', region, credentials)),
      )
    clients.set(region, made)
    return made
  }
}

type Viewed = { ViewArn?: string | undefined }
type Listing = {
  query: string
  max: number
  token: string | undefined
  signal: AbortSignal | undefined
}

async function listResources(
  client: ResourceExplorer2Client,
  { query, max, token, signal }: Listing,
) {
  const { ListResourcesCommand } = await import('@aws-sdk/client-resource-explorer-2')
  const command = new ListResourcesCommand({
    Filters: { FilterString: query },
    MaxResults: max,
    ...(token && { NextToken: token }),
  })
  return client.send(command, until(signal))
}

/**
 * Whether the index at `at` has all of the region's resources. While one is being filled, what it does not list yet
 * would count as gone.
 */
async function isWholeAt(
  at: string,
  region: string,
  stateIn: (region: string) => Promise<string | undefined>,
): Promise<boolean> {
  if ((await stateIn(at)) !== 'ACTIVE') return false
  if (at === region) return true
  // What the region's own index lacks, the aggregator lacks too. A region may refuse to tell, as one that is off.
  const own = await stateIn(region).catch(refusedThere)
  return own === undefined || own === 'ACTIVE'
}

/** The state of the index in the client's region; undefined at an endpoint that lacks the call. */
async function stateOfIndex(
  client: ResourceExplorer2Client,
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  return asked('resource-explorer-2:GetIndex', async () => {
    const { GetIndexCommand } = await import('@aws-sdk/client-resource-explorer-2')
    const { State } = await client.send(new GetIndexCommand({}), until(signal)).catch(withoutIndex)
    return State
  })
}

/** What belongs to no region is listed with the region where the tagging API lists it. */
function queryFor(region: string, { partition }: AwsSettings): string {
  return region === globalRegion(partition) ? `region:${region},global` : `region:${region}`
}

function toResource(found: Resource, region: string): FoundResource[] {
  if (!found.Arn) return []
  const arn = parseArn(found.Arn)
  const tags = tagsOf(found)
  return [
    foundResource({
      cloudId: found.Arn,
      service: found.Service ?? arn?.service ?? '',
      type: found.ResourceType ?? arn?.type ?? '',
      name: tags['Name'] || (arn?.name ?? found.Arn),
      region: found.Region ?? region,
      tags,
    }),
  ]
}

/** The property `tags` is a JSON document: a list of `{ Key, Value }`. */
function tagsOf({ Properties = [] }: Resource): Record<string, string> {
  const data = Properties.find(({ Name }) => Name === 'tags')?.Data
  if (!Array.isArray(data)) return {}
  const pairs = data.flatMap((tag: unknown) =>
    typeof tag === 'object' && tag !== null && 'Key' in tag && 'Value' in tag
      ? [[String(tag.Key), String(tag.Value)]]
      : [],
  )
  return Object.fromEntries(pairs)
}

/** Asks once for each region. */
function onceEach<T>(
  ask: (region: string, signal: AbortSignal | undefined) => Promise<T>,
): typeof ask {
  const answers = new Map<string, Promise<T>>()
  return async (region, signal) => {
    const answer = answers.get(region) ?? ask(region, signal)
    answers.set(region, answer)
    return kept(answer, () => answers.delete(region))
  }
}

/** A call that failed is asked again by the next caller; one that was answered is not. */
async function kept<T>(answer: Promise<T>, forget: () => void): Promise<T> {
  try {
    return await answer
  } catch (error) {
    forget()
    throw error
  }
}

/** Without the right, the tagging API lists what it can. An outage is no reason for it: it lists less. */
const noRight = (error: unknown): Index[] => denied(error) || []

/** Without the right to read the view, its filter is not known. */
function denied(error: unknown): false {
  if (error instanceof CloudFault && ['denied', 'excluded'].includes(error.kind)) return false
  throw error
}

/** The credentials are good where the aggregator answers. */
function refusedThere(error: unknown): undefined {
  if (error instanceof CloudFault && error.kind === 'credentials') return undefined
  throw error
}

/** Deleted since it was listed, or at an endpoint that lacks the call. A right that is missing is thrown. */
function withoutIndex(error: unknown): { State?: string } {
  if (isRefused(error)) throw error
  absent(error)
  return error instanceof Error && error.name === 'ResourceNotFoundException'
    ? { State: 'DELETED' }
    : {}
}

/** No default view, or no right to it. */
function absent(error: unknown): false {
  if (error instanceof Error && absences.has(error.name)) return false
  throw error
}

/** Without a default view the tagging API lists, and no right is missing. */
function withoutView(error: unknown): undefined {
  if (isRefused(error)) throw error
  absent(error)
  return undefined
}

const isRefused = (error: unknown) =>
  error instanceof Error && error.name === 'AccessDeniedException'

const absences = new Set([
  'AccessDeniedException',
  'NotImplemented',
  'ResourceNotFoundException',
  'UnauthorizedException',
  'ValidationException',
])
