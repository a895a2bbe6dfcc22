import type { Deps } from './deps.ts'
import { guardAll } from './guard-activity.ts'
import { endSync } from './clouds/end-sync.ts'
import { listPlaces } from './clouds/list-places.ts'
import { lookAtPlace } from './clouds/look-at-place.ts'
import { mergePlace } from './clouds/merge-place.ts'
import { discoverBills } from './finops/discover-bills.ts'
import { endBill } from './finops/end-bill.ts'
import { endIngest } from './finops/end-ingest.ts'
import { endSource } from './finops/end-source.ts'
import { nextSources } from './finops/next-sources.ts'
import { swapSlice } from './finops/swap-slice.ts'
import { takeBill } from './finops/take-bill.ts'
import { checkConnections } from './git/check-connections.ts'
import { endDelivery } from './git/end-delivery.ts'
import { endInitialization } from './git/end-initialization.ts'
import { failHydration } from './git/end-hydration.ts'
import { ensureWebhook } from './git/ensure-webhook.ts'
import { hydrateFiles } from './git/hydrate-files.ts'
import { lookIntoDelivery } from './git/look-into-delivery.ts'
import { markRepository } from './git/mark-repository.ts'
import { scaffoldRepository } from './git/scaffold-repository.ts'
import { writeComment } from './git/write-comment.ts'
import { applyRun } from './infrastructure/apply-run.ts'
import { failRun } from './infrastructure/fail-run.ts'
import { nextStep } from './infrastructure/next-step.ts'
import { planRun } from './infrastructure/plan-run.ts'
import { reconcileApply } from './infrastructure/reconcile-apply.ts'
import { advanceDeployment } from './pipelines/advance-deployment.ts'
import { buildArtifact } from './pipelines/build-artifact.ts'
import { describeArtifact } from './pipelines/describe-artifact.ts'
import { endDeployment } from './pipelines/end-deployment.ts'
import { failApplicationRun } from './pipelines/fail-application-run.ts'
import { fetchSource } from './pipelines/fetch-source.ts'
import { nextApplicationStep } from './pipelines/next-application-step.ts'
import { openDeployment } from './pipelines/open-deployment.ts'
import { signArtifact } from './pipelines/sign-artifact.ts'
import { reconcileRuns } from './platform/reconcile-runs.ts'

/** All activities with their dependencies. Those of `tofu` run programs, those of `cloud` wait for clouds, those of `billing` read bills, those of `build` fetch and build applications; `control` is bookkeeping. */
export function createActivities(deps: Deps) {
  const { log } = deps
  return {
    control: guardAll(log, {
      nextStep: nextStep(deps),
      failRun: failRun(deps),
      reconcileApply: reconcileApply(deps),
      nextApplicationStep: nextApplicationStep(deps),
      failApplicationRun: failApplicationRun(deps),
      signArtifact: signArtifact(deps),
      openDeployment: openDeployment(deps),
      advanceDeployment: advanceDeployment(deps),
      endDeployment: endDeployment(deps),
      reconcileRuns: reconcileRuns(deps),
      markRepository: markRepository(deps),
      scaffoldRepository: scaffoldRepository(deps),
      endInitialization: endInitialization(deps),
      hydrateFiles: hydrateFiles(deps),
      failHydration: failHydration(deps),
      ensureWebhook: ensureWebhook(deps),
      lookIntoDelivery: lookIntoDelivery(deps),
      endDelivery: endDelivery(deps),
      writeComment: writeComment(deps),
      checkConnections: checkConnections(deps),
      endSync: endSync(deps),
      nextSources: nextSources(deps),
      endBill: endBill(deps),
      endSource: endSource(deps),
      endIngest: endIngest(deps),
    }),
    cloud: guardAll(log, {
      listPlaces: listPlaces(deps),
      lookAtPlace: lookAtPlace(deps),
      mergePlace: mergePlace(deps),
      discoverBills: discoverBills(deps),
    }),
    billing: guardAll(log, {
      takeBill: takeBill(deps),
      swapSlice: swapSlice(deps),
    }),
    tofu: guardAll(log, {
      planRun: planRun(deps),
      applyRun: applyRun(deps),
    }),
    build: guardAll(log, {
      fetchSource: fetchSource(deps),
      buildArtifact: buildArtifact(deps),
      describeArtifact: describeArtifact(deps),
    }),
  }
}

export type ControlActivities = ReturnType<typeof createActivities>['control']
export type TofuActivities = ReturnType<typeof createActivities>['tofu']
export type CloudActivities = ReturnType<typeof createActivities>['cloud']
export type BillingActivities = ReturnType<typeof createActivities>['billing']
export type BuildActivities = ReturnType<typeof createActivities>['build']
