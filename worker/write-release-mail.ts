import { releaseWaitingLetter } from '../gateways/mail/letters/release-waiting.ts'
import type { Letter } from '../gateways/mail/letter.ts'
import { originInWords } from '../domain/runs/run-origin.ts'
import { deployments } from '../store/deployments/deployments.ts'
import type { Tenant } from '../store/driver/tenant.ts'
import { applicationRunViews } from '../store/runs/application-runs.ts'
import { approvers } from '../store/runs/approvers.ts'
import { releases } from '../store/runs/releases.ts'

/** To one possible approver of a release; undefined if it no longer waits for what the mail is about. */
export async function writeReleaseMail(
  tenant: Tenant,
  about: {
    runId: number
    /** As it was queued: `step 1`, or without one for the release itself. */
    stage: string | undefined
    personId: number
    baseUrl: string
    organizationName: string
  },
): Promise<Letter | undefined> {
  const { runId, stage, personId, baseUrl, organizationName } = about
  const release = await releases(tenant).get(runId)
  const step = stage === undefined ? 0 : Number(stage.replace('step ', ''))
  const waits =
    step === 0
      ? release.phase === 'awaiting_approval'
      : (await deployments(tenant).find(runId))?.confirmStep === step
  if (!waits || !(await approvers(tenant).isAble(runId, personId))) return undefined
  const [view] = await applicationRunViews(tenant, [runId])
  if (!view) return undefined
  return releaseWaitingLetter({
    runUrl: `${baseUrl}/pipelines/${release.pipelineId}/runs/${runId}`,
    organizationName,
    pipelineName: release.pipelineName,
    workspaceName: release.targetName ?? '',
    number: release.number,
    author:
      view.authorLabel ??
      (view.origin === 'person' ? 'somebody who has left' : originInWords[view.origin]),
    isRollback: release.rollbackOf !== null,
    step,
    waitsUntil: step === 0 ? release.approvalExpiresAt : null,
  })
}
