import { starterOf } from '../../domain/manifest/missing-manifest.ts'
import { may, type Caller } from '../../domain/access/caller.ts'
import { approverRefusals, type ApproverFault } from '../../domain/runs/approver-fault.ts'
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
import { presentOrigin } from './present-origin.ts'
import { presentStage } from './present-stage.ts'
import { readReleases, waitsForPerson, type ShownRelease } from './read-releases.ts'
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
  const shown = await readReleases(tenant, caller, views)
  const byId = new Map(views.map((view) => [view.id, view]))
  return new Map(
    own.flatMap(({ id, number }) => {
      const view = byId.get(id)
      const release = shown.get(id)
      if (!view || !release) return []
      const artifact = artifacts.get(id)
      return [[id, presentApplicationRun({ view, release, artifact }, number, caller)] as const]
    }),
  )
}

type Shown = {
  view: ApplicationRunView
  release: ShownRelease
  artifact: ShownArtifact | undefined
}
type Waiting = Pick<Shown, 'view' | 'release'>

function presentApplicationRun(
  { view, release, artifact }: Shown,
  number: number | null,
  caller: Caller,
): RunBody {
  const { organizationId } = caller
  const waits = waitsForPerson(view, release)
  return {
    id: view.id,
    number,
    kind: 'application',
    destroy: false,
    state: publicState(view.phase),
    reason: view.reason,
    message: view.startMessage,
    endMessage: view.message,
    details: view.missingManifest && starterOf(view.missingManifest),
    approvalReasons: waits
      ? [ruleOf({ view, release }) === 'confirm' ? 'confirm' : 'production']
      : [],
    approval: waits ? { rule: ruleOf({ view, release }) } : null,
    awaitingApproval: waits,
    awaitingPlanApproval: false,
    blockedBy: blockOfApplication(view, release),
    ...mayDecideApplication(caller, { view, release }),
    planDigest: view.releaseDigest,
    summary: null,
    cost: null,
    workspaceId: view.targetWorkspaceId,
    workflowId: applicationRunId({ organizationId, pipelineRunId: view.id }),
    approvalExpiresAt: view.approvalExpiresAt?.toISOString() ?? null,
    createdAt: view.createdAt.toISOString(),
    startedAt: view.startedAt?.toISOString() ?? null,
    endedAt: view.endedAt?.toISOString() ?? null,
    origin: presentOrigin(view),
    author: { id: view.authorUserId, label: labelOfAuthor(view) },
    configurationVersion: null,
    configurationSha256: null,
    commitSha: view.commitSha,
    pullRequest: null,
    commit: presentCommit(view),
    artifact: artifact ? presentArtifact(artifact) : null,
    trigger: presentTrigger(view),
    deployment: release.deployment,
    rollbackOf: view.rollbackOf,
    commits: [...view.commits],
    commitsTruncated: view.commitsTruncated,
    warnings: [...warningsOf(artifact), ...release.warnings, ...view.warnings],
    stages: view.stages.map(presentStage),
    approvals: view.approvals.map(presentApproval),
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

/** A confirmation between two steps of a standard workspace may be anybody's. */
const ruleOf = ({ view, release }: Waiting): 'second_operator' | 'confirm' =>
  release.confirmStep !== null && view.criticality !== 'production' ? 'confirm' : 'second_operator'

function presentTrigger({
  origin,
  tag,
  triggerId,
  rollbackOf,
  artifactRunId,
}: ApplicationRunView): NonNullable<RunBody['trigger']> {
  if (rollbackOf !== null) return { kind: 'rollback', id: rollbackOf }
  if (artifactRunId !== null) return { kind: 'promotion', id: artifactRunId }
  return { kind: origin === 'push' && tag !== null ? 'tag' : triggerOf[origin], id: triggerId }
}

const triggerOf = {
  person: 'manual',
  push: 'push',
  schedule: 'schedule',
} as const satisfies Record<ApplicationOrigin, string>

const presentApproval = (
  approval: ApplicationRunView['approvals'][number],
): RunBody['approvals'][number] => ({
  user: approval.user,
  decision: approval.decision,
  stage: 'approve',
  step: approval.step,
  at: new Date(approval.at).toISOString(),
  comment: approval.comment,
  planDigest: approval.planDigest,
  ...(approval.voidedAt !== null && {
    void: { at: new Date(approval.voidedAt).toISOString(), reason: approval.voidReason ?? '' },
  }),
})

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

/** What the routes would answer: the console shows its buttons by this. */
function mayDecideApplication(caller: Caller, { view, release }: Waiting): MayDecide {
  const able = may(caller, 'mutate_infra')
  const waits = waitsForPerson(view, release)
  const code = !able ? 'forbidden' : waits ? undefined : 'run_not_waiting'
  const fault = code ?? refusalOf(release.fault)
  const mayCancel = able && isLive(view.phase) && onCancel(view.phase) !== 'refuse'
  return {
    mayApprove: fault === undefined,
    mayReject: code === undefined,
    mayCancel,
    because: {
      ...(fault !== undefined && { mayApprove: fault }),
      ...(code !== undefined && { mayReject: code }),
      ...(!mayCancel && { mayCancel: able ? 'run_not_waiting' : 'forbidden' }),
    },
  }
}

const refusalOf = (fault: ApproverFault | undefined): string | undefined =>
  fault && approverRefusals[fault].code

function labelOfAuthor({ origin, authorLabel, commitSha, tag }: ApplicationRunView): string {
  if (origin === 'person') return authorLabel ?? 'a former member'
  if (origin === 'push' && tag !== null) return `tag ${tag}`
  if (origin === 'push') return `push of ${commitSha?.slice(0, 7) ?? 'a commit'}`
  return authorLabel ?? originInWords[origin]
}
