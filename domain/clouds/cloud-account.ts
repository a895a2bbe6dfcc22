export const cloudProviders = ['aws', 'azure', 'gcp'] as const
export type CloudProvider = (typeof cloudProviders)[number]

/** `identity` is asked for always; the others as far as the account's settings name them. */
export type CheckPart = 'identity' | 'inventory' | 'billing' | 'runs'
export type CheckState = 'ok' | 'missing' | 'failed' | 'off'
export type AccountCheck = {
  part: CheckPart
  state: CheckState
  reason: string | null
  /** Rights by the cloud's own names. */
  missing: string[]
}
export type AccountStatus =
  | 'pending'
  | 'healthy'
  | 'degraded'
  | 'invalid_credentials'
  | 'unreachable'

export type AwsCredentials = { roleArn: string } | { accessKeyId: string; secretAccessKey: string }
export type AzureCredentials = { tenantId: string; clientId: string; clientSecret?: string }
export type GoogleCredentials =
  | { workloadIdentityProvider: string; serviceAccountEmail?: string }
  | { serviceAccountKey: string }
export type CloudCredentials = AwsCredentials | AzureCredentials | GoogleCredentials

/** `tagged_only`: the cloud lists only what has or had a tag. `partial`: only types that may be read. */
export type Coverage = 'full' | 'tagged_only' | 'partial'
/** One role: of which types it may read resources, as patterns of `<type>/read` with `*` for anything. */
export type Readable = { allowed: string[]; denied: string[] }
export type PlaceState = 'ok' | 'excluded' | 'denied' | 'failed'
/** One region, or the whole account (region `''`) of a cloud that lists everything at once. */
export type Place = {
  region: string
  service: string
  state: PlaceState
  reason: string | null
  /** Where it differs from place to place. */
  coverage?: Coverage
  /** With coverage `partial`: what any of these roles may read. Nothing else is marked gone. */
  readable?: Readable[]
}
export type FoundResource = {
  cloudId: string
  service: string
  type: string
  name: string
  region: string
  tags: Record<string, string>
}
