import type {
  ResourceGroupsTaggingAPIClient,
  ResourceTagMapping,
} from '@aws-sdk/client-resource-groups-tagging-api'
import type { AwsCredentialIdentityProvider } from '@smithy/types'
import type { FoundResource } from '../../../domain/clouds/cloud-account.ts'
import { assertPageSize } from '../full-page.ts'
import { foundResource } from '../found-resource.ts'
import { createPageSizes } from '../page-sizes.ts'
import { asked, until } from './aws-account.ts'
import type { AwsSettings } from './aws-settings.ts'
import type { AwsPage, PageOf } from './explorer.ts'
import { parseArn } from './parse-arn.ts'

const pageSize = 100

/** The Resource Groups Tagging API: lists what has or had a tag, in pages of 100, in every region. */
export function createTagging(settings: AwsSettings, credentials: AwsCredentialIdentityProvider) {
  const sized = createPageSizes(pageSize)
  const clients = new Map<string, Promise<ResourceGroupsTaggingAPIClient>>()

  const clientIn = async (region: string) => {
    const made =
      clients.get(region) ??
      import('@aws-sdk/client-resource-groups-tagging-api').then(
        ({ ResourceGroupsTaggingAPIClient }) =>
          new ResourceGroupsTaggingAPIClient(settings.forService('resources', region, credentials)),
      )
    clients.set(region, made)
    return made
  }
  return {
    page: async ({ region, token, signal }: PageOf, most = pageSize): Promise<AwsPage> =>
      sized(async (size) =>
        asked('tag:GetResources', async () => {
          const { GetResourcesCommand } =
            await import('@aws-sdk/client-resource-groups-tagging-api')
          const client = await clientIn(region)
          const command = new GetResourcesCommand({
            ResourcesPerPage: Math.min(size, most),
            ...(token && { PaginationToken: token }),
          })
          const answer = await client.send(command, until(signal))
          const found = answer.ResourceTagMappingList ?? []
          assertPageSize(found, pageSize)
          return {
            resources: found.flatMap((one) => toResource(one, region, settings.target.accountId)),
            token: answer.PaginationToken || undefined,
          }
        }),
      ),
  }
}

function toResource(found: ResourceTagMapping, region: string, ownId: string): FoundResource[] {
  if (!found.ResourceARN) return []
  const arn = parseArn(found.ResourceARN)
  // Many ARNs name no account. One that names another account belongs to that one.
  if (arn && /^\d{12}$/.test(arn.accountId) && arn.accountId !== ownId) return []
  const pairs = (found.Tags ?? []).map(({ Key, Value }) => [Key ?? '', Value ?? ''])
  const tags: Record<string, string> = Object.fromEntries(pairs)
  return [
    foundResource({
      cloudId: found.ResourceARN,
      service: arn?.service ?? '',
      type: arn?.type ?? '',
      name: tags['Name'] || (arn?.name ?? found.ResourceARN),
      // A bucket's ARN names no region, but only its own lists it.
      region: arn?.region || region,
      tags,
    }),
  ]
}
