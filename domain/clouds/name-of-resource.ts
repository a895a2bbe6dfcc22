/**
 * A name that is the same for one resource in states, inventories and bills. AWS bills name many resources
 * by a short id (`i-0abc…`, a bucket's name) where states have an ARN, or the other way round. Two resources
 * with one name are the same only if their places agree (`isSamePlace`).
 *
 * PostgreSQL computes the same (`cloud_name` and `billed_name` of migrations 0069 and 0077), so that no row of a bill
 * passes through this process; test/store/clouds/names-of-resources.test.ts holds both against each other.
 */
export function nameOfCloudId(cloudId: string): string {
  if (!cloudId.startsWith('arn:')) return shortId.test(cloudId) ? `ec2/${cloudId}` : cloudId
  const ofEc2 = ec2Arn.exec(cloudId)?.[1]
  if (ofEc2 !== undefined) return `ec2/${ofEc2}`
  const bucket = bucketArn.exec(cloudId)?.[1]
  return bucket === undefined ? cloudId : `s3/${bucket}`
}

/** As a bill writes it: FOCUS has no form for `ResourceId`. */
export type BilledResource = { resourceId: string; provider: string; service: string }

export function nameOfBilled({ resourceId, provider, service }: BilledResource): string {
  // Azure's ids ignore case; inventories and states have them in lower case.
  if (provider === 'azure') return resourceId.toLowerCase()
  if (provider !== 'aws') return resourceId
  const isBucket = !resourceId.startsWith('arn:') && bucketServices.has(service)
  return isBucket ? `s3/${resourceId}` : nameOfCloudId(resourceId)
}

/** Null is what is not known. */
export type Place = { account: string | null; region: string | null }

/** The account and region in an ARN. Some have only one, buckets have none. */
export function placeOfCloudId(cloudId: string): Place {
  if (!cloudId.startsWith('arn:')) return { account: null, region: null }
  const [, , , region, account] = cloudId.split(':', 6)
  return { account: account || null, region: region || null }
}

/** What the ARN says wins: the columns are of the charge. */
export function placeOfBilled(
  resourceId: string,
  { subAccountId, region }: { subAccountId: string | null; region: string | null },
): Place {
  const named = placeOfCloudId(resourceId)
  // Spreadsheets drop the zeros in front of an account's number.
  const isNumber = subAccountId !== null && /^[0-9]{1,12}$/.test(subAccountId)
  return {
    account: named.account ?? (isNumber ? subAccountId.padStart(12, '0') : null),
    region: resourceId.startsWith('arn:') || region === 'global' ? named.region : region || null,
  }
}

/** Whether two resources of one name can be the same one. */
export const isSamePlace = (one: Place, other: Place): boolean =>
  isSame(one.account, other.account) && isSame(one.region, other.region)

const isSame = (one: string | null, other: string | null): boolean =>
  one === null || other === null || one === other

const shortId = /^[a-z]+(-[a-z]+)*-[0-9a-z]+$/
const ec2Arn = /^arn:aws[a-z-]*:ec2:[a-z0-9-]*:[0-9]*:[a-z-]+\/([a-z]+(-[a-z]+)*-[0-9a-z]+)$/
const bucketArn = /^arn:aws[a-z-]*:s3:::([A-Za-z0-9._-]+)$/
/** Where a plain `ResourceId` is a bucket. */
const bucketServices = new Set(['Amazon Simple Storage Service', 'Amazon S3', 'AmazonS3'])
