import type { RunPhase } from '../../domain/clouds/check-runs.ts'
import { AppError } from '../../domain/errors.ts'
import { CloudFault } from '../../gateways/clouds/cloud-fault.ts'
import type { Cloud, Lent } from '../../gateways/clouds/cloud.ts'
import type { Lending } from '../../gateways/sandbox/cloud-door.ts'
import { auditLog, type AuditActor } from '../../store/audit/audit-log.ts'
import type { CloudAccount } from '../../store/clouds/cloud-account-row.ts'
import { cloudAccounts } from '../../store/clouds/cloud-accounts.ts'
import { runStanding, type RunStanding } from '../../store/clouds/run-standing.ts'
import type { Store } from '../../store/driver/connect.ts'
import type { ActingRun } from './sign-web-identity.ts'

export type LendDeps = {
  store: Store
  openCloud: (account: CloudAccount, run?: ActingRun) => Promise<Cloud>
}

export type BorrowingRun = {
  organizationId: number
  workspaceId: number
  runId: number
  phase: RunPhase
  /** That the run began with. A workspace that names another meanwhile is lent nothing. */
  cloudAccountId: number
  /** Of the run's token: it says the phase, the fencing number and whether they still hold. */
  tokenHash: Buffer
  /** In whose name it is audited. */
  actor: AuditActor
}

/** How long a refusal of the cloud is repeated before it is asked again: a run may ask without end. */
const refusalMs = 2_000
const over: Lending = { how: 'over', reason: 'This run or its phase is over. It is lent nothing.' }

/**
 * Lends one run the identity of its phase. The run is looked up at each use. What the cloud gave is
 * lent again until half of its time is over, so that a run cannot make the service ask without end.
 */
export function lenderFor(deps: LendDeps, run: BorrowingRun): () => Promise<Lending> {
  let held: { of: string; lending: Lending; untilMs: number } | undefined
  let asking: { of: string; lending: Promise<Lending> } | undefined

  const ask = async (standing: RunStanding, of: string): Promise<Lending> => {
    const lending = await issue(deps, run, standing)
    const now = Date.now()
    const halfMs = 'lent' in lending ? (lending.lent.expiresAt.getTime() - now) / 2 : 0
    // A clock or a cloud may say that it is over already.
    const untilMs = now + Math.max(refusalMs, halfMs)
    if (!('how' in lending) || lending.how !== 'over') held = { of, lending, untilMs }
    return lending
  }
  return async () => {
    const standing = await runStanding(deps.store, run.organizationId, run)
    if (!standing?.isCurrent) return over
    const { cloudAccountId, accountVersion } = standing
    // What was lent of an account that was changed meanwhile is not lent again.
    const of = `${cloudAccountId} ${accountVersion}`
    if (held?.of === of && Date.now() < held.untilMs) return held.lending
    if (asking?.of !== of) {
      const lending = ask(standing, of).finally(() => (asking = undefined))
      asking = { of, lending }
    }
    return asking.lending
  }
}

async function issue(deps: LendDeps, run: BorrowingRun, standing: RunStanding): Promise<Lending> {
  const { organizationId, workspaceId, runId, phase, cloudAccountId } = run
  if (standing.cloudAccountId !== cloudAccountId)
    return refused(
      'The workspace does not name the cloud account any more that the run began with.',
    )
  const { workspaceName } = standing
  const account = await deps.store.tenant(organizationId, async (tenant) =>
    cloudAccounts(tenant).get(cloudAccountId),
  )
  // Of another account, for example: what the audit named would not be what was lent.
  if (account.status === 'invalid_credentials')
    return refused(account.statusReason ?? 'The credentials of the account are invalid.')
  const acting = { workspaceId, workspaceName, runId }
  const lent = await fromCloud(deps, { account, acting, phase })
  if ('how' in lent) return lent
  // A cloud may take its time: what it gave for a run that ended meanwhile is dropped.
  const now = await runStanding(deps.store, organizationId, run)
  if (!now?.isCurrent) return over
  if (now.cloudAccountId !== cloudAccountId || now.accountVersion !== standing.accountVersion)
    return refused('The cloud account was changed just now. Try again.')
  await deps.store.tenant(organizationId, async (tenant) =>
    auditLog(tenant, run.actor).record('cloud.run_credentials_issued', {
      target: { kind: 'run', id: runId, label: workspaceName },
      detail: {
        workspaceId,
        phase,
        cloudAccountId,
        provider: account.provider,
        accountId: account.accountId,
        identity: account.runs?.[phase],
        expiresAt: lent.lent.expiresAt.toISOString(),
      },
    }),
  )
  return lent
}

type FromCloud = { account: CloudAccount; acting: ActingRun; phase: RunPhase }

async function fromCloud(
  { openCloud }: LendDeps,
  { account, acting, phase }: FromCloud,
): Promise<{ lent: Lent } | Exclude<Lending, { lent: Lent }>> {
  let cloud: Cloud | undefined
  try {
    cloud = await openCloud(account, acting)
    const name = `run-${acting.runId}-${phase}`
    // A change of the account takes its checks away.
    const isOwnerKnown = account.checks.some(
      ({ part, state }) => part === 'identity' && state === 'ok',
    )
    const lent = await cloud.lend({ phase, name, isOwnerKnown })
    return lent ? { lent } : refused(`The account lends no identity to a run's ${phase}.`)
  } catch (error) {
    if (error instanceof CloudFault && ['denied', 'excluded', 'credentials'].includes(error.kind))
      return refused(error.message)
    if (error instanceof CloudFault) return { how: 'unreachable', reason: error.message }
    if (error instanceof AppError)
      return { how: error.fault === 'invalid' ? 'refused' : 'unreachable', reason: error.message }
    throw error
  } finally {
    cloud?.close()
  }
}

const refused = (reason: string) => ({ how: 'refused', reason }) as const
