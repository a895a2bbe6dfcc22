import type { AccountCheck } from '../../../domain/clouds/cloud-account.ts'
import type { KeptOutbound } from '../../outbound/outbound.ts'
import { checkCalls, checkLent, checkParts, okCheck } from '../check-parts.ts'
import type { Cloud, CloudDeps, Validation } from '../cloud.ts'
import { CloudFault } from '../cloud-fault.ts'
import { within } from '../within.ts'
import { checkExport } from './check-export.ts'
import { grantedRights, refusedSearch } from './check-project.ts'
import { searchPage, searchRight } from './google-inventory.ts'
import type { GoogleSession } from './google-session.ts'

const limitMs = 9_500

export async function validateGoogle(
  session: GoogleSession,
  { outbound, lend, deps }: { outbound: KeptOutbound; lend: Cloud['lend']; deps: CloudDeps },
  signal: AbortSignal | undefined,
): Promise<Validation> {
  const until = within(limitMs, signal)
  const granted = grantedRights(session, until)
  const search = searchPage(session, { size: 1, cursor: null, signal: until })
  return checkParts(until, {
    identity: async (): Promise<AccountCheck> => {
      if ((await granted).length === 0) await knownBy(session, search)
      return okCheck('identity')
    },
    inventory: async () =>
      checkCalls('inventory', [
        search,
        granted.then((rights) => {
          if (rights.includes(searchRight)) return
          const reason = `The credentials lack the right ${searchRight}.`
          throw new CloudFault('denied', reason, [searchRight])
        }),
      ]),
    billing: async () => checkExport(session, outbound, until),
    runs: async () => {
      const trust = ['iam.serviceAccounts.getAccessToken']
      return checkLent({ lend }, session.target.runs, { trust, signal: until, deps })
    },
  })
}

/** Of credentials without a right of setup's: throws where they may not search either. */
async function knownBy(session: GoogleSession, search: Promise<unknown>): Promise<void> {
  try {
    await search
  } catch (error) {
    const fault = await refusedSearch(session, error, async () => [])
    if (fault !== error) throw fault
  }
}
