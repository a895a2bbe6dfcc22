import type { CloudProvider } from './cloud-account.ts'
import { identityForms, type IdentityField } from './identity-forms.ts'
import { refuseField } from './refuse-field.ts'

export const runPhases = ['plan', 'apply'] as const
export type RunPhase = (typeof runPhases)[number]

/** `account`: what the account itself signs in with, or a session that is made from it. */
export type RunIdentity =
  | 'account'
  | { roleArn: string }
  | { clientId: string }
  | { serviceAccountEmail: string }
/** The identity that a run is lent in each phase. A phase that is left out is lent none. */
export type LentIdentities = Partial<Record<RunPhase, RunIdentity>>

type SentIdentity = 'account' | Partial<Record<IdentityField, string>>
export type SentIdentities = Partial<Record<RunPhase, SentIdentity>>

const fieldOf: Record<CloudProvider, IdentityField> = {
  aws: 'roleArn',
  azure: 'clientId',
  gcp: 'serviceAccountEmail',
}

/** The identities of runs, if each has the form of its provider. Null where no phase has one. */
export function checkRuns(provider: CloudProvider, sent: SentIdentities): LentIdentities | null {
  const lent: LentIdentities = {}
  for (const phase of runPhases) {
    const identity = sent[phase]
    if (identity !== undefined) lent[phase] = checkIdentity(provider, `runs.${phase}`, identity)
  }
  return Object.keys(lent).length > 0 ? lent : null
}

function checkIdentity(provider: CloudProvider, at: string, sent: SentIdentity): RunIdentity {
  if (sent === 'account') return sent
  const field = fieldOf[provider]
  for (const [name, value] of Object.entries(sent))
    if (value !== undefined && name !== field)
      throw refuseField(
        `${at}.${name}`,
        `is no identity of ${provider}; send "account" or ${field}`,
      )
  const value = sent[field]
  if (value === undefined) throw refuseField(at, `send "account" or ${field}`)
  const { pattern, form } = identityForms[field]
  if (!pattern.test(value)) throw refuseField(`${at}.${field}`, form)
  if (field === 'roleArn') return { roleArn: value }
  return field === 'clientId' ? { clientId: value.toLowerCase() } : { serviceAccountEmail: value }
}

/**
 * Refuses `account` where the account has nothing less than a secret to lend: the Azure provider takes
 * a client secret or an assertion, and no session that is made from a secret.
 */
export function assertLendable(account: {
  provider: CloudProvider
  credentialsKind: 'federation' | 'keys'
  runs: LentIdentities | null
}): void {
  if (account.provider !== 'azure' || account.credentialsKind !== 'keys') return
  for (const phase of runPhases)
    if (account.runs?.[phase] === 'account')
      throw refuseField(
        `runs.${phase}`,
        'would lend the client secret itself. Send the clientId of an application with a federated credential, or connect the account without a secret',
      )
}

/** Whether runs sign in by tokens of the organization's issuer, whatever the account itself does. */
export const lendsByToken = (runs: LentIdentities | null): boolean =>
  Object.values(runs ?? {}).some((identity) => identity !== 'account')
