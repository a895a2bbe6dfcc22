import type { RunPhase } from './check-runs.ts'
import type { CloudProvider } from './cloud-account.ts'

/** Whom an account's cloud trusts: this organization's tokens for this one account. */
export const accountSubject = (slug: string, accountId: string): string =>
  `organization:${slug}:account:${accountId}`

/** Whom the cloud trusts for the runs of one workspace in one phase. */
export const runSubject = (slug: string, workspace: string, phase: RunPhase): string =>
  `organization:${slug}:workspace:${workspace}:phase:${phase}`

/** What a token must be for. Google's is the provider's full name, which setup does not know before it exists. */
export function audienceOf(provider: CloudProvider, workloadIdentityProvider: string): string {
  if (provider === 'aws') return 'sts.amazonaws.com'
  if (provider === 'azure') return 'api://AzureADTokenExchange'
  return `//iam.googleapis.com/${workloadIdentityProvider}`
}
