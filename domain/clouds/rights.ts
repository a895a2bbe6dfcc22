import type { CheckPart, CloudProvider } from './cloud-account.ts'

export type Right = { part: CheckPart; permission: string }

const of = (part: CheckPart, ...permissions: string[]): Right[] =>
  permissions.map((permission) => ({ part, permission }))

/**
 * What an account's credentials must be allowed, by the cloud's own names: setup shows this list, and
 * a test holds it against the rights that `gateways/clouds/` names in its refusals.
 */
export const rights: Record<CloudProvider, readonly Right[]> = {
  aws: [
    ...of('identity', 'sts:GetCallerIdentity'),
    ...of(
      'inventory',
      'ec2:DescribeRegions',
      'organizations:ListAccounts',
      'resource-explorer-2:GetIndex',
      'resource-explorer-2:GetView',
      'resource-explorer-2:ListIndexes',
      'resource-explorer-2:ListResources',
      'tag:GetResources',
    ),
    ...of('billing', 's3:GetObject', 's3:ListBucket'),
    // Only where runs are lent a session of a user's keys.
    ...of('runs', 'sts:GetFederationToken'),
  ],
  azure: [
    ...of(
      'identity',
      'Microsoft.Authorization/permissions/read',
      'Microsoft.Management/managementGroups/read',
      'Microsoft.Resources/subscriptions/read',
    ),
    ...of('inventory', 'Microsoft.ResourceGraph/resources/read'),
    ...of('billing', 'Microsoft.Storage/storageAccounts/blobServices/containers/blobs/read'),
  ],
  gcp: [
    ...of('inventory', 'cloudasset.assets.searchAllResources'),
    ...of(
      'billing',
      'bigquery.jobs.create',
      'bigquery.tables.get',
      'bigquery.tables.getData',
      'storage.objects.get',
      'storage.objects.list',
    ),
  ],
}

/**
 * What an account that exports its bill by a bucket needs in that bucket, beside `rights`. Setup's role, which holds
 * in the whole project, has none of them: it would write and delete in every bucket. They are given on the one bucket.
 */
export const bucketRights = ['storage.objects.create', 'storage.objects.delete'] as const

export const rightsOf = (provider: CloudProvider, part: CheckPart): string[] =>
  rights[provider].filter((right) => right.part === part).map(({ permission }) => permission)
