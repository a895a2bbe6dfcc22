import { notFound } from '../../domain/errors.ts'
import type { Store } from '../driver/connect.ts'
import { selectList } from '../select-list.ts'
import type { Workspace } from '../workspaces/workspaces.ts'
import { macOfOverrides } from './run-overrides.ts'
import type { RunOverrides, WorkspaceRun } from './workspace-runs.ts'

// What a worker asks about each run, again and again. Each is one statement, whose plan PostgreSQL
// keeps (docs/decisions/0129).

const ofRun = [
  'id',
  'workspaceId',
  'kind',
  'destroy',
  'phase',
  'configurationVersionId',
  'overrides',
  'variablesDigest',
  'authorUserId',
  'authorshipThrough',
  'planDigest',
  'cancelRequestedAt',
  'waitsForSlotSince',
  'approvalReasons',
] as const
const ofWorkspace = [
  'name',
  'path',
  'criticality',
  'fence',
  'gitConnectionId',
  'cloudAccountId',
] as const

export type RunOfStep = {
  run: Pick<WorkspaceRun & RunOverrides, (typeof ofRun)[number] | 'overridesMac'>
  workspace: Pick<Workspace, 'id' | (typeof ofWorkspace)[number]>
  stageIds: Record<string, number>
  /** How often a plan of the run was begun: each attempt has a token of its own. */
  plansBegun: number
  /** The address or name of the run's author; null where no member started it. */
  author: string | null
}

type Row = RunOfStep['run'] &
  Omit<RunOfStep['workspace'], 'id'> &
  Omit<RunOfStep, 'run' | 'workspace'>

const joined = `from workspace_runs r
  join workspaces w on w.organization_id = r.organization_id and w.id = r.workspace_id
  where r.organization_id = $1 and r.id = $2`

/** What a step begins with, before any data of the run's author is opened. */
export async function findRunOfStep(
  store: Pick<Store, 'read'>,
  organizationId: number,
  workspaceRunId: number,
): Promise<RunOfStep> {
  const [row] = await store.read<Row>(organizationId, {
    name: 'run-of-step',
    text: `select ${selectList('r', ofRun)}, ${selectList('w', ofWorkspace)},
      ${macOfOverrides('r')} as "overridesMac",
      (select jsonb_object_agg(s.name, s.id) from stages s
        where s.organization_id = r.organization_id and s.workspace_run_id = r.id) as "stageIds",
      (select count(*)::integer from tokens t where t.organization_id = r.organization_id
        and t.workspace_run_id = r.id and t.run_phase = 'plan' and t.kind = 'run') as "plansBegun",
      (select coalesce(u.email, u.name) from users u
        where u.organization_id = r.organization_id and u.id = r.author_user_id) as author
      ${joined}`,
    values: [organizationId, workspaceRunId],
  })
  if (!row) throw notFound()
  const { name, path, criticality, fence, gitConnectionId, cloudAccountId, ...rest } = row
  const { stageIds, plansBegun, author, ...run } = rest
  return {
    run,
    workspace: {
      id: run.workspaceId,
      name,
      path,
      criticality,
      fence,
      gitConnectionId,
      cloudAccountId,
    },
    stageIds: stageIds ?? {},
    plansBegun,
    author,
  }
}

/** What may stop a step that runs: a cancel, or a newer fencing number. Undefined for a deleted run. */
export async function watchedRun(
  store: Pick<Store, 'read'>,
  organizationId: number,
  workspaceRunId: number,
): Promise<{ isCanceled: boolean; fence: number } | undefined> {
  const [row] = await store.read<{ isCanceled: boolean; fence: number }>(organizationId, {
    name: 'watched-run',
    text: `select r.cancel_requested_at is not null as "isCanceled", w.fence ${joined}`,
    values: [organizationId, workspaceRunId],
  })
  return row
}

export type RunStanding = Pick<WorkspaceRun, 'phase' | 'approvalExpiresAt'> & {
  /** The organization is not suspended. */
  isActive: boolean
  /** Somebody else than the run holds the workspace's lock. */
  isLocked: boolean
}

/** What decides what comes next for a run. */
export async function standingOfRun(
  store: Pick<Store, 'read'>,
  organizationId: number,
  workspaceRunId: number,
): Promise<RunStanding> {
  const [row] = await store.read<RunStanding>(organizationId, {
    name: 'standing-of-run',
    text: `select r.phase, r.approval_expires_at as "approvalExpiresAt",
      (select o.status = 'active' from organizations o where o.id = r.organization_id) as "isActive",
      exists (select from workspace_locks l where l.organization_id = r.organization_id
        and l.workspace_id = r.workspace_id and l.workspace_run_id is distinct from r.id) as "isLocked"
      from workspace_runs r where r.organization_id = $1 and r.id = $2`,
    values: [organizationId, workspaceRunId],
  })
  if (!row) throw notFound()
  return row
}
