import { lendsByToken } from '../../domain/clouds/check-runs.ts'
import { refuseField } from '../../domain/clouds/refuse-field.ts'
import { isOwnHost } from '../../domain/clouds/own-hosts.ts'
import { opensPrivateHost, type ResolveRules } from '../../gateways/outbound/resolve-target.ts'
import type { CloudAccount } from '../../store/clouds/cloud-account-row.ts'

type Account = Pick<
  CloudAccount,
  'provider' | 'credentialsKind' | 'endpoint' | 'endpoints' | 'billing' | 'billingShown' | 'runs'
>

type Addressed = Pick<CloudAccount, 'endpoint' | 'endpoints' | 'billingShown'>

type Change = {
  /** Undefined while it is connected. */
  before?: Addressed
  /** Which of the secrets are part of the request. */
  sent: { credentials: boolean; billing: boolean }
}

/**
 * Refuses to send what an account signs in with to a host that is neither the cloud's own nor opened
 * by the operator, unless the person who names the host sends the secret along. Otherwise a person
 * who may change accounts, and cannot read a stored secret or sign a token of this organization's
 * issuer, would receive it at a server of their own and use it at the cloud.
 */
export function assertEndpointsTrusted(
  account: Account,
  { before, sent }: Change,
  rules: ResolveRules,
): void {
  const { provider, credentialsKind, billing, runs } = account
  const known = new Set(before && addressesOf(before).map(({ text }) => text))
  for (const { path, text } of addressesOf(account)) {
    if (!receivesSecret(provider, path) || isTrusted(provider, text, rules)) continue
    if (credentialsKind === 'federation' || lendsByToken(runs))
      throw refuseField(
        path,
        'is not an address of the cloud itself, and would receive tokens of this account or of its runs. Connect it with a key and without identities of runs, or let an operator open the address with CC_PRIVATE_HOSTS',
      )
    if (known.has(text)) continue
    const why = `is to be sent again with ${path}, so that no stored secret goes to another address`
    if (!sent.credentials) throw refuseField('credentials', why)
    if (billing !== null && !sent.billing) throw refuseField('billing', why)
  }
}

/**
 * AWS's requests are signed for their host (Signature Version 4), so none but the token of a web
 * identity, which goes to STS, is of use at another.
 */
const receivesSecret = (provider: CloudAccount['provider'], path: string): boolean =>
  provider !== 'aws' || path === 'endpoint' || path === 'endpoints.identity'

function addressesOf({ endpoint, endpoints, billingShown }: Addressed) {
  const named = Object.entries(endpoints).map(([name, text]) => ({
    path: `endpoints.${name}`,
    text,
  }))
  return [
    { path: 'endpoint', text: endpoint ?? '' },
    { path: 'billing.endpoint', text: billingShown?.['endpoint'] ?? '' },
    ...named,
  ].filter(({ text }) => text !== '')
}

function isTrusted(
  provider: CloudAccount['provider'],
  text: string,
  { privateHosts }: ResolveRules,
): boolean {
  const url = URL.parse(text)
  if (!url) return false
  const port = Number(url.port || (url.protocol === 'https:' ? 443 : 80))
  const host = url.hostname
  return (
    isOwnHost(provider, host) ||
    opensPrivateHost({ host, port, use: 'cloud' }, privateHosts) ||
    opensPrivateHost({ host, port, use: 'billing' }, privateHosts)
  )
}
