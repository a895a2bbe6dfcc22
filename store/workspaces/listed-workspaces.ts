import type { RunOutcome } from '../../domain/runs/run-outcome.ts'
import type { RunPhase } from '../../domain/runs/run-state.ts'
import { contains } from '../contains.ts'
import { unwrap, type Tenant } from '../driver/tenant.ts'
import { withLabel, type Label } from '../with-label.ts'
import { endedAs } from '../with-outcome.ts'
import type { Workspace } from './workspaces.ts'

export type WorkspaceFilter = {
  ids?: readonly number[] | undefined
  criticalities?: ReadonlyArray<Workspace['criticality']> | undefined
  /** One of them. */
  labels?: readonly Label[] | undefined
  /** Of the newest run that can apply. */
  lastRun?:
    | { phases: readonly RunPhase[]; outcomes?: readonly RunOutcome[] | undefined; orNone: boolean }
    | undefined
  /** Part of the name, ignoring case. */
  q?: string | undefined
}

/** What the list is ordered by. Each ends with something unique, so that a page has one place to go on. */
const keys = {
  id: ['w.id'],
  name: ['w.name'],
  criticality: ['w.criticality', 'w.name'],
  lastRun: ['coalesce(p.last_workspace_run_id, 0)', 'p.target_workspace_id'],
} as const
export type WorkspaceOrder = keyof typeof keys

export type WorkspacePage = {
  limit: number
  order: WorkspaceOrder
  isDescending: boolean
  /** The values of the order's keys in the last row of the page before. */
  after?: ReadonlyArray<string | number> | undefined
}

export type ListedWorkspace = Workspace & {
  /** Of a list by the newest run: its id. */
  lastRunId?: number | null
}

/** A page of the workspaces of one organization, in one statement. */
export async function listedWorkspaces(
  tenant: Tenant,
  filter: WorkspaceFilter,
  { limit, order, isDescending, after }: WorkspacePage,
): Promise<ListedWorkspace[]> {
  const found = select(tenant)
  if (order === 'lastRun' || filter.lastRun) joinPipelines(found)
  narrow(found, filter)
  if (filter.labels) void found.whereIn('w.id', withLabel(tenant, 'workspace', filter.labels))
  const columns = keys[order]
  if (after)
    void found.whereRaw(
      `(${columns.join(', ')}) ${isDescending ? '<' : '>'} (${columns.map(() => '?').join(', ')})`,
      [...after],
    )
  for (const column of columns) void found.orderByRaw(`${column} ${isDescending ? 'desc' : 'asc'}`)
  return found.limit(limit)
}

type Found = ReturnType<typeof select>

function select(tenant: Tenant) {
  const { db, organizationId } = unwrap(tenant)
  return db('workspaces as w').where('w.organizationId', organizationId).select('w.*')
}

/** The pipeline of a workspace names its newest run. */
function joinPipelines(found: Found): void {
  void found
    .joinRaw(
      `join pipelines p on p.organization_id = w.organization_id
         and p.target_workspace_id = w.id and p.managed`,
    )
    .select({ lastRunId: 'p.lastWorkspaceRunId' })
}

function narrow(found: Found, { ids, criticalities, q, lastRun }: WorkspaceFilter): void {
  if (ids) void found.whereIn('w.id', [...ids])
  if (criticalities) void found.whereIn('w.criticality', [...criticalities])
  if (q !== undefined) void found.whereILike('w.name', contains(q))
  if (!lastRun) return
  const { phases, outcomes, orNone } = lastRun
  const ended = outcomes && endedAs('r', outcomes)
  void found
    .joinRaw(
      `${orNone ? 'left ' : ''}join workspace_runs r on r.organization_id = p.organization_id
         and r.id = p.last_workspace_run_id`,
    )
    .whereRaw(
      `((r.phase = any(?::text[]) ${ended ? `and ${ended.sql}` : ''}) ${orNone ? 'or p.last_workspace_run_id is null' : ''})`,
      [[...phases], ...(ended?.bindings ?? [])],
    )
}
