import type { Deps } from '../activities/deps.ts'
import type { Config } from '../config.ts'
import type { RecurringTask } from './run-tasks.ts'
import { checkConnectionsTask } from './tasks/check-connections.ts'
import { checkDomainsTask } from './tasks/check-domains.ts'
import { cleanUpTask } from './tasks/clean-up.ts'
import { cloudSweepTask } from './tasks/cloud-sweep.ts'
import { expirePlanApprovalsTask } from './tasks/expire-plan-approvals.ts'
import { forgetAccountsTask } from './tasks/forget-accounts.ts'
import { giveTurnsTask } from './tasks/give-turns.ts'
import { makePartitionsTask } from './tasks/make-partitions.ts'
import { noteHeldResourcesTask } from './tasks/note-held-resources.ts'
import { pruneOutboxTask } from './tasks/prune-outbox.ts'
import { pruneScimLogTask } from './tasks/prune-scim-log.ts'
import { reconcileTask } from './tasks/reconcile-runs.ts'
import { rotateIssuerKeysTask } from './tasks/rotate-issuer-keys.ts'
import { sealAuditTask } from './tasks/seal-audit.ts'
import { validateAccountsTask } from './tasks/validate-accounts.ts'
import { warnOfCertificatesTask } from './tasks/warn-of-certificates.ts'

/** The recurring tasks of every worker. */
export const recurringTasks = (config: Config, deps: Deps): RecurringTask[] => [
  giveTurnsTask(deps),
  expirePlanApprovalsTask(deps),
  reconcileTask(deps),
  sealAuditTask(deps),
  checkConnectionsTask(deps),
  checkDomainsTask({ config, store: deps.store, log: deps.log }),
  cloudSweepTask(deps),
  forgetAccountsTask(deps),
  cleanUpTask(deps),
  pruneScimLogTask(deps),
  warnOfCertificatesTask(deps),
  noteHeldResourcesTask(deps),
  rotateIssuerKeysTask(deps),
  validateAccountsTask({
    ...deps,
    issuerOrigin: config.oidcIssuer ?? deps.publicOrigin,
    awsIdentity: config.awsIdentity,
  }),
  makePartitionsTask(deps),
  pruneOutboxTask(deps),
]
