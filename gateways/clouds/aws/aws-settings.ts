import type { AwsCredentialIdentityProvider, Logger } from '@smithy/types'
import { awsPartition } from '../../../domain/clouds/organization-member.ts'
import type { KeptOutbound } from '../../outbound/outbound.ts'
import type { AwsTarget, CloudDeps } from '../cloud.ts'
import { awsHttpHandler, s3HttpHandler } from './aws-http-handler.ts'

/** Where a logger can be told of each call, the SDK copies each answer for it, whatever it does with the copy. */
const logger = { warn: () => undefined } as unknown as Logger

export type AwsService = 'identity' | 'resources'

/** What each client of one account is made with. */
export type AwsSettings = {
  target: AwsTarget
  deps: CloudDeps
  kept: KeptOutbound
  partition: string
  /** Where calls go that belong to no region. */
  home: string
  forService(
    service: AwsService,
    region: string,
    credentials: AwsCredentialIdentityProvider,
  ): ReturnType<typeof configOf>
  forStorage(
    bucket: { region: string; endpoint: string | undefined },
    credentials: AwsCredentialIdentityProvider,
  ): ReturnType<typeof storageConfigOf>
}

export function awsSettings(target: AwsTarget, deps: CloudDeps, kept: KeptOutbound): AwsSettings {
  const partition = awsPartition(target.credentials, target.regions)
  return {
    target,
    deps,
    kept,
    partition,
    home: target.regions?.find(isNeverOff) ?? globalRegion(partition),
    forService: (service, region, credentials) =>
      configOf({ kept, region, credentials, endpoint: target.endpoints[service] }),
    forStorage: (bucket, credentials) => storageConfigOf({ kept, ...bucket, credentials }),
  }
}

/**
 * Regions of AWS that no account can switch off; those that came later can be off, and there AWS does not know
 * the account's keys (AWS General Reference, "Regions and Zones"). The two other partitions have only such.
 */
const isNeverOff = (region: string): boolean =>
  /^(us-(east|west)-[12]|ap-south-1|ap-northeast-[123]|ap-southeast-[12]|ca-central-1|eu-central-1|eu-west-[123]|eu-north-1|sa-east-1|(cn|us-gov)-[a-z]+-\d)$/.test(
    region,
  )

/** The region that lists what belongs to none, such as IAM's roles. */
export function globalRegion(partition: string): string {
  return { 'aws-cn': 'cn-northwest-1', 'aws-us-gov': 'us-gov-west-1' }[partition] ?? 'us-east-1'
}

type Options = {
  kept: KeptOutbound
  region: string
  credentials: AwsCredentialIdentityProvider
  endpoint: string | undefined
}

/** The same for S3, which has settings of its own. */
const storageConfigOf = (options: Options) => ({
  ...configOf(options),
  requestHandler: s3HttpHandler(options.kept),
  // An endpoint of the account's own may be an address, and serves its buckets by path.
  forcePathStyle: options.endpoint !== undefined,
  disableS3ExpressSessionAuth: true,
  useArnRegion: false,
  requestChecksumCalculation: 'WHEN_REQUIRED' as const,
  // A file comes in pieces, and S3's checksum is of the whole.
  responseChecksumValidation: 'WHEN_REQUIRED' as const,
  // An ingest looks again later, and a download has tries of its own.
  maxAttempts: 3,
})

/**
 * Names each setting that the SDK would otherwise look up in this process's environment or in `~/.aws`: what is
 * there belongs to the operator, and one tenant's calls would be signed with it or sent where it says.
 */
function configOf(options: Options) {
  const { kept, region, credentials, endpoint } = options
  return {
    region,
    credentials,
    credentialDefaultProvider: () => credentials,
    requestHandler: awsHttpHandler(kept, endpoint !== undefined),
    logger,
    ...(endpoint !== undefined && { endpoint }),
    ignoreConfiguredEndpointUrls: true,
    useDualstackEndpoint: false,
    useFipsEndpoint: false,
    // Waits for as long as AWS throttles, and keeps below the rate that it accepted.
    retryMode: 'adaptive',
    maxAttempts: 8,
    defaultsMode: 'standard' as const,
    authSchemePreference: [],
    sigv4aSigningRegionSet: [],
    userAgentAppId: '',
  }
}
