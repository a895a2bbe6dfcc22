import { validateAccount, type AccountValidation } from '../../app/clouds/validate-account.ts'
import type { Caller } from '../../domain/access/caller.ts'
import { missingOf, sentenceOf, unsettledParts } from '../../domain/clouds/account-status.ts'
import { AppError, invalid, unavailable } from '../../domain/errors.ts'
import { actorOf, auditLog } from '../../store/audit/audit-log.ts'
import type { Deps } from '../deps.ts'
import { accountDeps } from './account-deps.ts'
import { presentAccount } from './present-account.ts'
import type { CloudAccountBody } from './schemas.ts'

/** Validates an account now, and says which rights it lacks. */
export async function validateNow(
  deps: Deps,
  caller: Caller,
  id: number,
): Promise<CloudAccountBody> {
  const { organizationId } = caller
  const validation = await validateAccount(accountDeps(deps), { organizationId, id })
  const refusal = refusalOf(validation)
  const { account, checks } = validation
  const isWell = refusal === undefined && !checks.some(({ state }) => state === 'failed')
  const body = await deps.store.tenant(organizationId, async (tenant) => {
    await auditLog(tenant, actorOf(caller)).record('cloud.account_validated', {
      outcome: isWell ? 'success' : 'failure',
      target: { kind: 'cloud_account', id, label: account.name },
      detail: { status: account.status, missing: missingOf(checks) },
    })
    return presentAccount(tenant, deps, account)
  })
  if (refusal) throw refusal
  return body
}

function refusalOf(validation: AccountValidation): AppError | undefined {
  const { outcome, reason, checks, refusal } = validation
  if (refusal)
    return invalid(
      reason ?? refusal.message,
      [{ path: 'endpoint', message: refusal.message }],
      refusal.code,
    )
  if (outcome === 'unreachable')
    return unavailable('cloud_unreachable', reason ?? 'The cloud does not answer. Try again.')
  if (outcome === 'rejected')
    return invalid(
      reason ?? 'The cloud rejects these credentials. Replace them.',
      undefined,
      'cloud_credentials_rejected',
    )
  const short = checks.filter(({ state }) => state === 'missing' || state === 'failed')
  // An identity of runs can be refused without a right that has a name, such as a federated credential. A part that
  // failed without a refusal, such as a bucket that does not exist, is told by the account's checks and its status.
  if (!short.some(({ state }) => state === 'missing')) return unanswered(validation)
  const missing = missingOf(short)
  const message = short.map(sentenceOf).join(' ')
  return new AppError('invalid', message, {
    code: 'cloud_permissions_missing',
    missing,
    details: short.map((check) => ({ path: check.part, message: sentenceOf(check) })),
  })
}

/** What the account shows of a part that was not answered is of before. */
function unanswered({ account, checks, unanswered: parts = {} }: AccountValidation) {
  const unsettled = unsettledParts(parts, account.lateTries)
  const open = checks.filter(({ part }) => unsettled.has(part))
  return open.length === 0
    ? undefined
    : unavailable('cloud_unreachable', open.map(sentenceOf).join(' '))
}
