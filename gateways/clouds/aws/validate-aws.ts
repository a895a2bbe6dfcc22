import type { AwsCredentialIdentityProvider } from '@smithy/types'
import { checkCalls, checkLent, checkParts, okCheck } from '../check-parts.ts'
import type { LendAsked, Validation } from '../cloud.ts'
import { within } from '../within.ts'
import type { AwsAccount } from './aws-account.ts'
import type { AwsSettings } from './aws-settings.ts'
import { checkBucket } from './check-bucket.ts'
import { checkOwner } from './check-owner.ts'
import { createExplorer } from './explorer.ts'
import { lendAws } from './lend-aws.ts'
import { createTagging } from './tagging.ts'

const limitMs = 9_500

export async function validateAws(
  settings: AwsSettings,
  { account, credentials }: { account: AwsAccount; credentials: AwsCredentialIdentityProvider },
  signal: AbortSignal | undefined,
): Promise<Validation> {
  const until = within(limitMs, signal)
  const { runs } = settings.target
  return checkParts(until, {
    identity: async () => {
      await checkOwner(settings, account, until)
      return okCheck('identity')
    },
    inventory: async () => {
      const tagging = createTagging(settings, credentials)
      const page = { region: settings.home, token: undefined, signal: until }
      const explorer = createExplorer(settings, credentials, account).check(until)
      const calls = [account.regions(until), explorer, tagging.page(page, 1)]
      const check = await checkCalls('inventory', calls)
      // Without a reason, all of them were answered.
      return check.state === 'ok' && check.reason === null
        ? { ...check, reason: await explorer }
        : check
    },
    billing: async () => checkBucket(settings, credentials, until),
    runs: async () => {
      const lend = async (asked: LendAsked) => lendAws(settings, account, asked)
      const byToken =
        settings.deps.awsIdentity === 'none' && 'roleArn' in settings.target.credentials
      const trust = [byToken ? 'sts:AssumeRoleWithWebIdentity' : 'sts:AssumeRole']
      return checkLent({ lend }, runs, { trust, signal: until, deps: settings.deps })
    },
  })
}
