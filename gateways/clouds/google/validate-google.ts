import type { AccountCheck } from '../../../domain/clouds/cloud-account.ts'
import type { KeptOutbound } from '../../outbound/outbound.ts'
import { checkCalls, checkLent, checkParts, okCheck } from '../check-parts.ts'
import type { Cloud, Validation } from '../cloud.ts'
import { CloudFault } from '../cloud-fault.ts'
import { within } from '../within.ts'
import { checkExport } from './check-export.ts'
import { searchPage, searchRight } from './google-inventory.ts'
import type { GoogleSession } from './google-session.ts'

const limitMs = 9_500

export async function validateGoogle(
  session: GoogleSession,
  { outbound, lend }: { outbound: KeptOutbound; lend: Cloud['lend'] },
  signal: AbortSignal | undefined,
): Promise<Validation> {
  const until = within(limitMs, signal)
  const granted = grantedRights(session, until)
  return checkParts(until, {
    // An answer of any kind means that Google knows the credentials and the account.
    identity: async () => granted.then((): AccountCheck => okCheck('identity')),
    inventory: async () =>
      checkCalls('inventory', [
        searchPage(session, { size: 1, cursor: null, signal: until }),
        granted.then((rights) => {
          if (rights.includes(searchRight)) return
          const reason = `The credentials lack the right ${searchRight}.`
          throw new CloudFault('denied', reason, [searchRight])
        }),
      ]),
    billing: async () => checkExport(session, outbound, until),
    runs: async () => {
      const trust = ['iam.serviceAccounts.getAccessToken']
      return checkLent({ lend }, session.target.runs, { trust, signal: until })
    },
  })
}

/** Of the rights that are asked about, those that the credentials have. Needs no right itself. */
async function grantedRights(session: GoogleSession, signal: AbortSignal) {
  const { permissions } = await session.call({
    url: `https://cloudresourcemanager.googleapis.com/v3/${session.scope}:testIamPermissions`,
    action: 'testIamPermissions',
    body: { permissions: [searchRight] },
    signal,
  })
  return Array.isArray(permissions) ? permissions : []
}
