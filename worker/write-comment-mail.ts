import { runCommentedLetter } from '../gateways/mail/letters/run-commented.ts'
import type { Letter } from '../gateways/mail/letter.ts'
import type { Tenant } from '../store/driver/tenant.ts'
import { releases } from '../store/runs/releases.ts'
import { runComments } from '../store/runs/run-comments.ts'
import { runLabels } from '../store/runs/run-labels.ts'
import { workspaceRuns } from '../store/runs/workspace-runs.ts'
import { workspaces } from '../store/workspaces/workspaces.ts'

/** To one person who has a part in the commented run; undefined once that run is gone. */
export async function writeCommentMail(
  tenant: Tenant,
  about: { commentId: number; baseUrl: string; organizationName: string },
): Promise<Letter | undefined> {
  const { commentId, baseUrl, organizationName } = about
  const comment = await runComments(tenant).find(commentId)
  if (!comment) return undefined
  const { workspaceRunId, pipelineRunId, user } = comment
  const { path, run } =
    workspaceRunId === null
      ? await ofApplication(tenant, pipelineRunId ?? 0)
      : await ofWorkspace(tenant, workspaceRunId)
  const runUrl = `${baseUrl}${path}?tab=comments`
  return runCommentedLetter({ runUrl, organizationName, run, author: user })
}

async function ofWorkspace(tenant: Tenant, runId: number) {
  const { workspaceId } = await workspaceRuns(tenant).get(runId)
  const { name } = await workspaces(tenant).get(workspaceId)
  const label = (await runLabels(tenant, [runId])).get(runId) ?? 'a plan'
  return { path: `/workspaces/${workspaceId}/runs/${runId}`, run: `${label} of ${name}` }
}

async function ofApplication(tenant: Tenant, runId: number) {
  const { pipelineId, pipelineName, number } = await releases(tenant).get(runId)
  return {
    path: `/pipelines/${pipelineId}/runs/${runId}`,
    run: `run #${number} of ${pipelineName}`,
  }
}
