import { may, type Caller } from '../../domain/access/caller.ts'
import { isLive, onCancel } from '../../domain/pipelines/application-state.ts'
import { originInWords } from '../../domain/runs/run-origin.ts'
import { publicState } from '../../domain/runs/run-state.ts'
import {
  applicationRunViews,
  type ApplicationOrigin,
  type ApplicationRunView,
} from '../../store/runs/application-runs.ts'
import { organizationSettings } from '../../store/organizations/settings.ts'
import { shownArtifacts, type ShownArtifact } from '../../store/runs/shown-artifacts.ts'
import type { RunOfStages } from '../../store/runs/stages.ts'
import type { Tenant } from '../../store/driver/tenant.ts'
import { applicationRunId } from '../../workflows/pipelines/contract.ts'
import { blockOfApplication } from './blocked-by.ts'
import type { MayDecide } from './may-decide.ts'
import { presentStage } from './present-stage.ts'
import type { RunBody } from './schemas.ts'

/** The runs of applications among these places, as callers see them, by their id. */
export async function presentApplicationRuns(
  tenant: Tenant,
  caller: Caller,
  places: ReadonlyArray<RunOfStages & { number: number | null }>,
): Promise<Map<number, RunBody>> {
  const own = places.filter(({ workspaceRunId }) => workspaceRunId === null)
  if (own.length === 0) return new Map()
  const runIds = own.map(({ id }) => id)
  const [views, { artifactDays: days }] = await Promise.all([
    applicationRunViews(tenant, runIds),
    organizationSettings(tenant),
  ])
  const artifacts = await shownArtifacts(tenant, { runIds, days })
  const byId = new Map(views.map((view) => [view.id, view]))
  return new Map(
    own.flatMap(({ id, number }) => {
      const view = byId.get(id)
      return view
        ? [
            [
              id,
              presentApplicationRun(view, { number, artifact: artifacts.get(id) }, caller),
            ] as const,
          ]
        : []
    }),
  )
}

function presentApplicationRun(
  view: ApplicationRunView,
  { number, artifact }: { number: number | null; artifact: ShownArtifact | undefined },
  caller: Caller,
): RunBody {
  const { organizationId } = caller
  return {
    id: view.id,
    number,
    kind: 'application',
    destroy: false,
    state: publicState(view.phase),
    reason: view.reason,
    message: view.message,
    startMessage: view.startMessage,
    approvalReasons: [],
    approval: null,
    awaitingApproval: view.phase === 'awaiting_approval',
    awaitingPlanApproval: false,
    blockedBy: blockOfApplication(view),
    ...mayDecideApplication(caller, view),
    planDigest: view.releaseDigest,
    summary: null,
    cost: null,
    workspaceId: view.targetWorkspaceId,
    workflowId: applicationRunId({ organizationId, pipelineRunId: view.id }),
    approvalExpiresAt: view.approvalExpiresAt?.toISOString() ?? null,
    createdAt: view.createdAt.toISOString(),
    startedAt: view.startedAt?.toISOString() ?? null,
    endedAt: view.endedAt?.toISOString() ?? null,
    origin: view.origin,
    author: { id: view.authorUserId, label: labelOfAuthor(view) },
    configurationVersion: null,
    configurationSha256: null,
    commitSha: view.commitSha,
    pullRequest: null,
    commit: presentCommit(view),
    artifact: artifact ? presentArtifact(artifact) : null,
    warnings: warningsOf(artifact),
    trigger: {
      kind: view.origin === 'push' && view.tag !== null ? 'tag' : triggerOf[view.origin],
      id: view.triggerId,
    },
    stages: view.stages.map(presentStage),
    approvals: [],
  }
}

const presentArtifact = (artifact: ShownArtifact): Exclude<RunBody['artifact'], undefined> => ({
  digest: artifact.digest,
  contentDigest: artifact.contentDigest,
  sizeBytes: artifact.sizeBytes,
  files: artifact.files,
  keptUntil: artifact.keptUntil,
  sbom: [
    ...(artifact.hasSpdx ? (['spdx'] as const) : []),
    ...(artifact.hasCyclonedx ? (['cyclonedx'] as const) : []),
  ],
  signed: artifact.signed,
})

const warningsOf = (artifact: ShownArtifact | undefined): string[] =>
  artifact?.isDescribed && !artifact.hasSpdx && !artifact.hasCyclonedx ? ['no_sbom'] : []

const triggerOf = {
  person: 'manual',
  push: 'push',
  schedule: 'schedule',
} as const satisfies Record<ApplicationOrigin, string>

const presentCommit = (view: ApplicationRunView): Exclude<RunBody['commit'], undefined> =>
  view.commitSha === null
    ? null
    : {
        sha: view.commitSha,
        branch: view.branch,
        tag: view.tag,
        message: view.commitMessage,
        author: view.commitAuthor,
        at: view.committedAt?.toISOString() ?? null,
      }

/** Such a run waits for nobody, so it can only be canceled: the routes refuse the rest with the same codes. */
function mayDecideApplication(caller: Caller, { phase }: ApplicationRunView): MayDecide {
  const able = may(caller, 'mutate_infra')
  const code = !able ? 'forbidden' : isLive(phase) ? 'not_runnable' : 'run_not_waiting'
  const mayCancel = able && onCancel(phase) === 'end'
  return {
    mayApprove: false,
    mayReject: false,
    mayCancel,
    because: {
      mayApprove: code,
      mayReject: code,
      ...(!mayCancel && { mayCancel: able ? 'run_not_waiting' : 'forbidden' }),
    },
  }
}

function labelOfAuthor({ origin, authorLabel, commitSha, tag }: ApplicationRunView): string {
  if (origin === 'person') return authorLabel ?? 'a former member'
  if (origin === 'push' && tag !== null) return `tag ${tag}`
  if (origin === 'push') return `push of ${commitSha?.slice(0, 7) ?? 'a commit'}`
  return authorLabel ?? originInWords[origin]
}
