import type { Deps } from '../../../api/deps.ts'
import { approvals } from '../../../store/runs/approvals.ts'
import { stages } from '../../../store/runs/stages.ts'
import { workspaceRuns, type WorkspaceRun } from '../../../store/runs/workspace-runs.ts'
import type { TestOrganization } from '../../harness/test-organization.ts'
import type { TestUser } from '../../harness/test-user.ts'
import { runInPhase } from '../workspaces/run-in-phase.ts'

export type ApprovedRun = {
  id: number
  now(): Promise<WorkspaceRun & { approved: boolean }>
  /** Approved once more, after the approval was voided. */
  approveAgain(): Promise<void>
}

/** A production run that this user has approved and that is not applied yet. */
export async function approvedRun(
  deps: Deps,
  org: TestOrganization,
  approver: TestUser,
): Promise<ApprovedRun> {
  const author = await org.user('Owner')
  const workspace = await org.workspace({ by: author, criticality: 'production' })
  const place = { organizationId: org.id, workspaceId: workspace.id, authorUserId: author.id }
  const { id } = await runInPhase(deps, place, 'apply_queued')
  await deps.store.tenant(org.id, async (tenant) => {
    await stages(tenant).create(id, ['plan', 'approve', 'apply'])
    await workspaceRuns(tenant).patch(id, { planDigest: 'sha256:0' })
  })
  const approveAgain = async () =>
    deps.store.tenant(org.id, async (tenant) => {
      await approvals(tenant).create({
        workspaceRunId: id,
        userId: approver.id,
        decision: 'approved',
        comment: null,
        credential: null,
        planDigest: 'sha256:0',
      })
      await workspaceRuns(tenant).move(id, ['awaiting_approval'], { phase: 'apply_queued' })
    })
  await approveAgain()
  return {
    id,
    approveAgain,
    now: async () =>
      deps.store.tenant(org.id, async (tenant) => {
        const run = await workspaceRuns(tenant).get(id)
        const standing = await approvals(tenant).standing(id)
        return Object.assign(run, { approved: standing !== undefined })
      }),
  }
}
