import { randomUUID } from 'node:crypto'
import { CloudFault } from '../cloud-fault.ts'
import { assumeByOwnIdentity, ownRole } from './aws-credentials.ts'
import type { AwsSettings } from './aws-settings.ts'

/**
 * Throws where a role can be assumed with any external id. Such a role does not prove that its owner connected
 * it: another organization could name it and use it through this service (confused deputy). Tried with an
 * external id that nobody has.
 */
export async function checkTrust(settings: AwsSettings, roleArn: string): Promise<void> {
  if (settings.deps.awsIdentity === 'none') return
  const target = { ...settings.target, externalId: `cc-${randomUUID()}` }
  try {
    await assumeByOwnIdentity({ ...settings, target }, ownRole(settings, roleArn))
  } catch (error) {
    if (error instanceof CloudFault && error.kind === 'credentials') return
    throw error
  }
  throw new CloudFault('credentials', trustsAll)
}

const trustsAll =
  "The role trusts every external id, so other organizations could use it too. Add the condition StringEquals sts:ExternalId with the organization's external id to its trust policy."
