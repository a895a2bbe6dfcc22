import type { RunIdentity } from '../../../domain/clouds/check-runs.ts'
import type { LendAsked, Lent } from '../cloud.ts'
import { until, type AwsAccount } from './aws-account.ts'
import {
  assumeOtherRole,
  assumeRole,
  awsCredentials,
  ownRole,
  sessionOf,
  type Session,
} from './aws-credentials.ts'
import { awsFault } from './aws-refusal.ts'
import type { AwsSettings } from './aws-settings.ts'
import { checkOwner } from './check-owner.ts'
import { checkTrust } from './check-trust.ts'

const maxSeconds = 3_600

/** A session of the identity that runs have in this phase. */
export async function lendAws(
  settings: AwsSettings,
  account: AwsAccount,
  asked: LendAsked,
): Promise<Lent | undefined> {
  const identity = settings.target.runs?.[asked.phase]
  if (identity === undefined) return undefined
  // Otherwise a run of before the first validation could act in an account that the audit does not name.
  if (identity === 'account' && !asked.isOwnerKnown)
    await checkOwner(settings, account, asked.signal)
  const { expiration, ...session } = await sessionFor(settings, identity, asked)
  const endsAtMs = expiration?.getTime() ?? Date.now() + maxSeconds * 1_000
  return { kind: 'aws', ...session, expiresAt: new Date(endsAtMs) }
}

async function sessionFor(
  settings: AwsSettings,
  identity: RunIdentity,
  asked: LendAsked,
): Promise<Session> {
  const { credentials } = settings.target
  const { phase, name: sessionName } = asked
  if (identity !== 'account' && 'roleArn' in identity) {
    await checkTrust(settings, identity.roleArn)
    return assumeOtherRole(settings, {
      roleArn: identity.roleArn,
      sessionName,
      token: async () => settings.deps.runIdentity('sts.amazonaws.com', phase),
      whose: ` of the ${phase} of a run's workspace`,
    })
  }
  if ('roleArn' in credentials) {
    await checkTrust(settings, credentials.roleArn)
    return assumeRole(settings, { ...ownRole(settings, credentials.roleArn), sessionName })
  }
  return federate(settings, asked)
}

/** What such a session may call, of what the user of the keys may. */
const sessionPolicy = JSON.stringify({
  Version: '2012-10-17',
  Statement: [
    { Effect: 'Allow', Action: '*', Resource: '*' },
    // Otherwise a plan could make itself a key that outlives the session.
    { Effect: 'Deny', Action: 'iam:*', Resource: '*' },
  ],
})

/** A session of the user of the account's keys. `GetSessionToken` takes no policy, and its sessions may assume roles. */
async function federate(settings: AwsSettings, { name, signal }: LendAsked): Promise<Session> {
  const { STSClient, GetFederationTokenCommand } = await import('@aws-sdk/client-sts')
  const keys = awsCredentials(settings)
  const sts = new STSClient(settings.forService('identity', settings.home, keys))
  const command = new GetFederationTokenCommand({
    Name: name.slice(0, 32),
    Policy: sessionPolicy,
    DurationSeconds: maxSeconds,
  })
  try {
    return sessionOf((await sts.send(command, until(signal))).Credentials)
  } catch (error) {
    throw awsFault(error, 'sts:GetFederationToken')
  } finally {
    sts.destroy()
  }
}
