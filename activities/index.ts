import type { Deps } from './deps.ts'
import { guardActivity } from './guard-activity.ts'
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
import { reconcileRuns } from './platform/reconcile-runs.ts'

/** All activities with their dependencies. Those of `tofu` run programs; `control` is bookkeeping. */
export function createActivities(deps: Deps) {
  const { log } = deps
  return {
    control: {
      nextStep: guardActivity(log, nextStep(deps)),
      failRun: guardActivity(log, failRun(deps)),
      reconcileApply: guardActivity(log, reconcileApply(deps)),
      reconcileRuns: guardActivity(log, reconcileRuns(deps)),
      markRepository: guardActivity(log, markRepository(deps)),
      scaffoldRepository: guardActivity(log, scaffoldRepository(deps)),
      endInitialization: guardActivity(log, endInitialization(deps)),
      hydrateFiles: guardActivity(log, hydrateFiles(deps)),
      failHydration: guardActivity(log, failHydration(deps)),
      ensureWebhook: guardActivity(log, ensureWebhook(deps)),
      lookIntoDelivery: guardActivity(log, lookIntoDelivery(deps)),
      endDelivery: guardActivity(log, endDelivery(deps)),
      writeComment: guardActivity(log, writeComment(deps)),
      checkConnections: guardActivity(log, checkConnections(deps)),
    },
    tofu: {
      planRun: guardActivity(log, planRun(deps)),
      applyRun: guardActivity(log, applyRun(deps)),
    },
  }
}

export type ControlActivities = ReturnType<typeof createActivities>['control']
export type TofuActivities = ReturnType<typeof createActivities>['tofu']
