import type { AccountCheck } from '../../../domain/clouds/cloud-account.ts'
import { readsSomeTypes } from '../../../domain/clouds/coverage-words.ts'
import { checkCalls, checkLent, checkParts, okCheck } from '../check-parts.ts'
import type { Cloud, CloudDeps, Validation } from '../cloud.ts'
import { CloudFault } from '../cloud-fault.ts'
import { within } from '../within.ts'
import { queryGraph } from './azure-inventory.ts'
import type { AzureSession } from './azure-session.ts'
import { accountOf } from './check-account.ts'
import { checkContainer } from './check-container.ts'
import { checkRights } from './check-rights.ts'

const limitMs = 9_500

type Trying = {
  outbound: Parameters<typeof checkContainer>[1]
  tryRun: Cloud['lend']
  deps: CloudDeps
}

export async function validateAzure(
  session: AzureSession,
  { outbound, tryRun, deps }: Trying,
  signal: AbortSignal | undefined,
): Promise<Validation> {
  const until = within(limitMs, signal)
  return checkParts(until, {
    identity: async () => checkAccount(session, until),
    inventory: async () => {
      const rights = checkRights(session, until)
      const query = { query: 'resources | project id', top: 1, signal: until }
      const check = await checkCalls('inventory', [queryGraph(session, query), rights])
      if (check.state !== 'ok' || check.reason !== null || !(await rights)) return check
      return okCheck('inventory', readsSomeTypes)
    },
    billing: async () => checkContainer(session, outbound, until),
    runs: async () =>
      checkLent({ lend: tryRun }, session.target.runs, { trust: [], signal: until, deps }),
  })
}

/** The account as the credentials see it: one that was deleted, or where they have no role, is not there. */
async function checkAccount(session: AzureSession, signal: AbortSignal): Promise<AccountCheck> {
  const found = await accountOf(session, signal)
  const state = stateOf(found)
  if (state === 'Deleted') throw new CloudFault('credentials', 'The subscription was deleted.')
  if (state !== 'Disabled') return okCheck('identity')
  return { part: 'identity', state: 'failed', reason: disabled, missing: [] }
}

const disabled =
  'The subscription is disabled. Azure lists its resources, and changes none. Enable it again.'

const stateOf = (found: unknown): unknown =>
  typeof found === 'object' && found !== null && 'state' in found ? found.state : undefined
