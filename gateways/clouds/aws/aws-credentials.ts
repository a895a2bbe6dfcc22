import type { AwsCredentialIdentity, AwsCredentialIdentityProvider } from '@smithy/types'
import type { AwsIdentity } from '../cloud.ts'
import { CloudFault } from '../cloud-fault.ts'
import { awsFault } from './aws-refusal.ts'
import type { AwsSettings } from './aws-settings.ts'

/**
 * The account's credentials, and no others: its keys, or a session of its role. A role is assumed with a token
 * of the organization's issuer, or, where the service has an AWS identity, with that and the external id.
 */
export function awsCredentials(settings: AwsSettings): AwsCredentialIdentityProvider {
  const { credentials } = settings.target
  if ('accessKeyId' in credentials) {
    const { accessKeyId, secretAccessKey } = credentials
    return async () => ({ accessKeyId, secretAccessKey })
  }
  const { roleArn } = credentials
  return untilExpiry(async () => assumeRole(settings, ownRole(settings, roleArn)))
}

export type Assumed = {
  roleArn: string
  /** Shown in the account's CloudTrail. */
  sessionName: string
  /** A token of the organization's issuer. */
  token: () => Promise<string>
  /** Which subject the role's trust policy has to name, for the reason of a refusal. */
  whose: string
}

/** The account's own role, as the account itself uses it. */
export const ownRole = ({ deps }: AwsSettings, roleArn: string): Assumed => ({
  roleArn,
  sessionName: 'cloud-control',
  token: async () => deps.webIdentity('sts.amazonaws.com'),
  whose: '',
})

/**
 * A session of a role, for an hour: what each role allows unless it is told otherwise. Where the service has an AWS
 * identity, by the external id; a role whose trust policy was made for the issuer, by a token.
 */
export async function assumeRole(settings: AwsSettings, role: Assumed): Promise<Session> {
  if (settings.deps.awsIdentity === 'none') return assumeByWebIdentity(settings, role)
  return assumeByOwnIdentity(settings, role).catch(async (error: unknown) => {
    if (!(error instanceof CloudFault) || error.kind !== 'credentials') throw error
    return assumeByWebIdentity(settings, role).catch(() => {
      throw error
    })
  })
}

/** By the AWS identity of the service and the external id alone. */
export const assumeByOwnIdentity = async (settings: AwsSettings, role: Assumed): Promise<Session> =>
  assumeByExternalId(settings, role, {
    signer: await ownIdentity(settings.deps.awsIdentity),
    who: 'this service',
  })

/**
 * A session of another role. A user of keys assumes it by the external id, since an account with keys
 * needs no issuer at the cloud; one that may not, by a token.
 */
export async function assumeOtherRole(settings: AwsSettings, role: Assumed): Promise<Session> {
  const { credentials } = settings.target
  if ('roleArn' in credentials) return assumeRole(settings, role)
  const by = { signer: awsCredentials(settings), who: "the user of the account's keys" }
  try {
    return await assumeByExternalId(settings, role, by)
  } catch (error) {
    if (!(error instanceof CloudFault) || error.kind !== 'credentials') throw error
    return assumeRole(settings, role).catch(() => {
      throw error
    })
  }
}

async function assumeByWebIdentity(
  settings: AwsSettings,
  { roleArn, sessionName, token, whose }: Assumed,
): Promise<Session> {
  const { STSClient, AssumeRoleWithWebIdentityCommand } = await import('@aws-sdk/client-sts')
  const sts = new STSClient(settings.forService('identity', settings.home, noCredentials))
  const command = new AssumeRoleWithWebIdentityCommand({
    RoleArn: roleArn,
    RoleSessionName: sessionName,
    WebIdentityToken: await token(),
  })
  try {
    return sessionOf((await sts.send(command)).Credentials)
  } catch (error) {
    throw refusedRole(
      awsFault(error, 'sts:AssumeRoleWithWebIdentity'),
      `AWS does not let this service use the role. Check that it exists, that its account is not suspended, and that its trust policy names the organization's issuer, audience and subject${whose}.`,
    )
  } finally {
    sts.destroy()
  }
}

async function assumeByExternalId(
  settings: AwsSettings,
  { roleArn, sessionName }: Assumed,
  { signer, who }: { signer: AwsCredentialIdentityProvider; who: string },
): Promise<Session> {
  const { STSClient, AssumeRoleCommand } = await import('@aws-sdk/client-sts')
  const sts = new STSClient(settings.forService('identity', settings.home, signer))
  const command = new AssumeRoleCommand({
    RoleArn: roleArn,
    RoleSessionName: sessionName,
    ExternalId: settings.target.externalId,
  })
  try {
    return sessionOf((await sts.send(command)).Credentials)
  } catch (error) {
    throw refusedRole(
      awsFault(error, 'sts:AssumeRole'),
      `AWS does not let this service use the role. Check that it exists, that its account is not suspended, and that its trust policy names ${who} and the organization's external id.`,
    )
  } finally {
    sts.destroy()
  }
}

/** A refused role is a matter of the account's credentials, not of a right that they lack. */
function refusedRole(fault: ReturnType<typeof awsFault>, reason: string): Error {
  const isRefused = fault instanceof CloudFault && ['denied', 'excluded'].includes(fault.kind)
  return isRefused ? new CloudFault('credentials', reason) : fault
}

/** The operator's own: the one place where the environment or the metadata service of this machine is read. */
async function ownIdentity(from: AwsIdentity): Promise<AwsCredentialIdentityProvider> {
  if (from === 'environment') {
    const { fromEnv } = await import('@aws-sdk/credential-provider-env')
    return fromEnv()
  }
  const { fromContainerMetadata, fromInstanceMetadata } =
    await import('@smithy/credential-provider-imds')
  return async () => fromContainerMetadata()().catch(async () => fromInstanceMetadata()())
}

const noCredentials: AwsCredentialIdentityProvider = async () => {
  throw new CloudFault('credentials', 'This call needs no credentials.')
}

export type Session = {
  accessKeyId: string
  secretAccessKey: string
  sessionToken: string
  expiration?: Date
}
type Answered = {
  AccessKeyId: string | undefined
  SecretAccessKey: string | undefined
  SessionToken: string | undefined
  Expiration: Date | undefined
}

export function sessionOf(answered: Answered | undefined): Session {
  const { AccessKeyId, SecretAccessKey, SessionToken, Expiration } = answered ?? missing
  if (!AccessKeyId || !SecretAccessKey || !SessionToken)
    throw new CloudFault('unreachable', 'AWS sent a session without its keys.')
  return {
    accessKeyId: AccessKeyId,
    secretAccessKey: SecretAccessKey,
    sessionToken: SessionToken,
    ...(Expiration && { expiration: Expiration }),
  }
}

const missing: Answered = {
  AccessKeyId: undefined,
  SecretAccessKey: undefined,
  SessionToken: undefined,
  Expiration: undefined,
}

/** One session for all clients, replaced five minutes before it ends. */
function untilExpiry(assume: () => Promise<AwsCredentialIdentity>): AwsCredentialIdentityProvider {
  let current: Promise<AwsCredentialIdentity> | undefined
  let endsAtMs = 0
  return async () => {
    if (current && Date.now() < endsAtMs - 300_000) return current
    endsAtMs = Infinity
    const assumed = assume()
    current = assumed
    assumed.then(
      ({ expiration }) => (endsAtMs = expiration?.getTime() ?? Date.now() + 3_600_000),
      () => (current = undefined),
    )
    return assumed
  }
}
