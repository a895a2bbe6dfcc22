import type { CloudProvider } from './cloud-account.ts'
import { rights, type Right } from './rights.ts'
import { setupOfAws } from './setup-aws.ts'
import { setupOfAzure } from './setup-azure.ts'
import { setupOfGoogle } from './setup-google.ts'
import type { SetupFacts, SetupTexts } from './setup-texts.ts'

export type AccountSetup = SetupTexts & {
  externalId: string
  issuer: string
  subjects: string[]
  permissions: Right[]
}

const setups = { aws: setupOfAws, azure: setupOfAzure, gcp: setupOfGoogle }

/** What to do in the cloud before an account is connected, with the least rights. */
export function accountSetup(provider: CloudProvider, facts: SetupFacts): AccountSetup {
  const { externalId, issuer, subject, runSubjects, use } = facts
  return {
    externalId,
    issuer,
    subjects: use === 'federation' ? [subject, runSubjects.plan, runSubjects.apply] : [],
    permissions: [...rights[provider]],
    ...setups[provider](facts),
  }
}
