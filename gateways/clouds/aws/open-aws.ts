import type { AwsTarget, Cloud, CloudDeps } from '../cloud.ts'
import { bounded } from '../within.ts'
import { awsAccount } from './aws-account.ts'
import { awsBills } from './aws-bills.ts'
import { awsCredentials } from './aws-credentials.ts'
import { awsInventory } from './aws-inventory.ts'
import { awsSettings } from './aws-settings.ts'
import { checkOwner } from './check-owner.ts'
import { lendAws } from './lend-aws.ts'
import { validateAws } from './validate-aws.ts'

/** An AWS account. Its calls go over connections of its own. */
export function openAws(target: AwsTarget, deps: CloudDeps): Cloud {
  const kept = deps.outbound.keep()
  const settings = awsSettings(target, deps, kept)
  const credentials = awsCredentials(settings)
  const account = awsAccount(settings, credentials)
  return {
    ...awsInventory(settings, credentials, account),
    validate: async (signal) => validateAws(settings, { account, credentials }, signal),
    lend: async (asked) => lendAws(settings, account, asked),
    async members(page) {
      const asked = async () => {
        // Otherwise a role that trusts everybody shows its organization to whoever knows its ARN.
        await checkOwner(settings, account, page.signal)
        return account.members(page)
      }
      return page.signal ? bounded(asked(), page.signal) : asked()
    },
    bills: () => awsBills(settings, credentials, account),
    close: () => kept.close(),
  }
}
