import type { Deps } from '../activities/deps.ts'
import type { Config } from '../config.ts'
import { artifactFolder } from '../gateways/artifacts/folder.ts'
import type { RecurringTask } from './run-tasks.ts'
import { billingSweepTask } from './tasks/billing-sweep.ts'
import { checkConnectionsTask } from './tasks/check-connections.ts'
import { checkDomainsTask } from './tasks/check-domains.ts'
import { checkEstimatesTask } from './tasks/check-estimates.ts'
import { cleanUpTask } from './tasks/clean-up.ts'
import { cloudSweepTask } from './tasks/cloud-sweep.ts'
import { computeBudgetsTask } from './tasks/compute-budgets.ts'
import { expireLeasesTask } from './tasks/expire-leases.ts'
import { expirePlanApprovalsTask } from './tasks/expire-plan-approvals.ts'
import { fetchRatesTask } from './tasks/fetch-rates.ts'
import { forgetAccountsTask } from './tasks/forget-accounts.ts'
import { forgetChargesTask } from './tasks/forget-charges.ts'
import { forgetLooksTask } from './tasks/forget-looks.ts'
import { giveTurnsTask } from './tasks/give-turns.ts'
import { learnPricesTask } from './tasks/learn-prices.ts'
import { makePartitionsTask } from './tasks/make-partitions.ts'
import { mergeCostTask } from './tasks/merge-cost.ts'
import { noteBilledResourcesTask } from './tasks/note-billed-resources.ts'
import { noteHeldResourcesTask } from './tasks/note-held-resources.ts'
import { probeArtifactsTask } from './tasks/probe-artifacts.ts'
import { pruneOutboxTask } from './tasks/prune-outbox.ts'
import { pruneScimLogTask } from './tasks/prune-scim-log.ts'
import { rebuildCostTask } from './tasks/rebuild-cost.ts'
import { reconcileTask } from './tasks/reconcile-runs.ts'
import { removePartsTask } from './tasks/remove-parts.ts'
import { rotateIssuerKeysTask } from './tasks/rotate-issuer-keys.ts'
import { scoreAcceptedTask } from './tasks/score-accepted.ts'
import { scoreScopesTask } from './tasks/score-scopes.ts'
import { sealAuditTask } from './tasks/seal-audit.ts'
import { sendDigestsTask } from './tasks/send-digests.ts'
import { sweepBuildCachesTask } from './tasks/sweep-build-caches.ts'
import { sweepArtifactsTask } from './tasks/sweep-artifacts.ts'
import { tellOfLateBillsTask } from './tasks/tell-of-late-bills.ts'
import { validateAccountsTask } from './tasks/validate-accounts.ts'
import { warnOfCertificatesTask } from './tasks/warn-of-certificates.ts'

/** The recurring tasks of every worker. */
export const recurringTasks = (config: Config, deps: Deps): RecurringTask[] => [
  giveTurnsTask(deps),
  expirePlanApprovalsTask(deps),
  expireLeasesTask(deps),
  reconcileTask(deps),
  sealAuditTask(deps),
  checkConnectionsTask(deps),
  checkDomainsTask({ config, store: deps.store, log: deps.log }),
  cloudSweepTask(deps),
  billingSweepTask(deps),
  fetchRatesTask(deps, { source: config.exchangeRates }),
  forgetAccountsTask(deps),
  forgetChargesTask(deps),
  forgetLooksTask(deps),
  rebuildCostTask(deps),
  mergeCostTask(deps),
  scoreAcceptedTask(deps),
  scoreScopesTask(deps),
  computeBudgetsTask(deps),
  tellOfLateBillsTask(deps),
  learnPricesTask(deps),
  checkEstimatesTask(deps),
  cleanUpTask(deps),
  pruneScimLogTask(deps),
  warnOfCertificatesTask(deps),
  sendDigestsTask(deps),
  noteHeldResourcesTask(deps),
  noteBilledResourcesTask(deps),
  rotateIssuerKeysTask(deps),
  validateAccountsTask({
    ...deps,
    issuerOrigin: config.oidcIssuer ?? deps.publicOrigin,
    awsIdentity: config.awsIdentity,
  }),
  makePartitionsTask(deps),
  pruneOutboxTask(deps),
  sweepBuildCachesTask(deps),
  // What is packed lies in the folder also where the store is a bucket.
  removePartsTask([artifactFolder(config.artifactDir), deps.builds.caches, deps.builds.artifacts]),
  sweepArtifactsTask({ ...deps, artifacts: deps.builds.artifacts }),
  probeArtifactsTask({ ...deps, artifacts: deps.builds.artifacts }),
]
