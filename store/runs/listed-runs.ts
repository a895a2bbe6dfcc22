import { invalid } from '../../domain/errors.ts'
import { isStatementTimeout } from '../driver/connect.ts'
import { limitStatements } from '../driver/limit-statements.ts'
import { unwrap, type Tenant } from '../driver/tenant.ts'
import { contains } from '../contains.ts'
import { withLabel, type Label } from '../with-label.ts'
import { runsOfFilter, type RunFilter, type RunOfFilter, type RunPage } from './runs-of-filter.ts'

export type { RunFilter }

const maxSearchMs = 5_000

/** A run in a list over all workspaces and applications. Its id is its workspace run's, or its own. */
export type ListedRun = RunOfFilter & {
  /** Null for a plan-only run: it is in no pipeline. */
  number: number | null
  pipelineId: number | null
  pipelineName: string | null
  /** Null for a run of an application without a target. */
  workspaceName: string | null
  criticality: 'standard' | 'production' | null
}

/** A page of the runs of all workspaces and applications. Ids rise with time, so their order is the order of the starts. */
export async function listedRuns(
  tenant: Tenant,
  filter: RunFilter,
  page: RunPage,
): Promise<ListedRun[]> {
  // A text that few runs have is looked for in all of them.
  await limitStatements(tenant, maxSearchMs)
  try {
    const kinds = filter.approver ? await decidableKinds(tenant, filter.kinds) : filter.kinds
    if (kinds?.length === 0) return []
    const { labels } = filter
    return labels
      ? await labelled(tenant, { ...filter, kinds, labels }, page)
      : await found(tenant, { ...filter, kinds }, page)
  } catch (error) {
    if (!isStatementTimeout(error)) throw error
    throw invalid(
      'The search took too long. Narrow it, by a workspace, a state or a time.',
      undefined,
      'search_too_broad',
    )
  }
}

/**
 * Without runs of applications where none waits: PostgreSQL takes longer to plan the rule for them than to answer
 * the rest, and the console asks every few seconds.
 */
async function decidableKinds(
  tenant: Tenant,
  kinds: RunFilter['kinds'] = ['apply', 'plan', 'application'],
): Promise<RunFilter['kinds']> {
  if (!kinds.includes('application')) return kinds
  const { db, organizationId } = unwrap(tenant)
  const waiting = await db('application_runs')
    .where({ organizationId })
    .whereIn('phase', ['awaiting_approval', 'deploying'])
    .first('pipelineRunId')
  return waiting ? kinds : kinds.filter((kind) => kind !== 'application')
}

const found = async (tenant: Tenant, filter: RunFilter, page: RunPage): Promise<ListedRun[]> =>
  filter.q === undefined
    ? pageOf(tenant, filter, page)
    : searched(tenant, { ...filter, q: filter.q }, page)

/**
 * The pages of the workspaces and of the pipelines that have the label, as one: in one search, neither
 * would have an index.
 */
async function labelled(
  tenant: Tenant,
  { labels, ...filter }: RunFilter & { labels: readonly Label[] },
  page: RunPage,
): Promise<ListedRun[]> {
  const idsOf = async (of: 'workspace' | 'pipeline'): Promise<number[]> => {
    const rows = await withLabel(tenant, of, labels).distinct()
    return rows.map(({ id }) => id)
  }
  const workspaceIds = amongBoth(await idsOf('workspace'), filter.workspaceIds)
  const pipelineIds = amongBoth(await idsOf('pipeline'), filter.pipelineIds)
  const pages = [
    workspaceIds.length > 0 ? await found(tenant, { ...filter, workspaceIds }, page) : [],
    pipelineIds.length > 0 ? await found(tenant, { ...filter, pipelineIds }, page) : [],
  ]
  return merged(pages, page)
}

const amongBoth = (ids: readonly number[], asked: readonly number[] | undefined) =>
  asked ? ids.filter((id) => asked.includes(id)) : ids

function merged(
  pages: ReadonlyArray<readonly ListedRun[]>,
  { order, limit }: RunPage,
): ListedRun[] {
  const runs = new Map(pages.flat().map((run) => [run.id, run]))
  const sign = order === 'asc' ? 1 : -1
  return [...runs.values()].toSorted((a, b) => sign * (a.id - b.id)).slice(0, limit)
}

/** The pages of all that the text is found in, as one: together they would be one search without an index. */
async function searched(
  tenant: Tenant,
  { q, ...filter }: RunFilter & { q: string },
  page: RunPage,
): Promise<ListedRun[]> {
  const { db, organizationId } = unwrap(tenant)
  const pattern = contains(q)
  const named = async (table: 'workspaces' | 'pipelines', kind = {}): Promise<number[]> =>
    db(table)
      .where({ organizationId, ...kind })
      .whereILike('name', pattern)
      .pluck('id')
  const [workspaces, applications] = await Promise.all([
    named('workspaces'),
    // The pipeline of a workspace has its name from it.
    named('pipelines', { kind: 'application' }),
  ])
  const workspaceIds = amongBoth(workspaces, filter.workspaceIds)
  const hasApplications = filter.kinds?.includes('application') !== false
  const ofApplications = {
    ...filter,
    // No run of a workspace is in one of these pipelines, and without an index all would be looked through.
    kinds: ['application'] as const,
    pipelineIds: hasApplications ? amongBoth(applications, filter.pipelineIds) : [],
  }
  return merged(
    await Promise.all([
      workspaceIds.length === 0 ? [] : pageOf(tenant, { ...filter, workspaceIds }, page),
      ofApplications.pipelineIds.length === 0 ? [] : pageOf(tenant, ofApplications, page),
      pageOf(tenant, { ...filter, pattern }, page),
    ]),
    page,
  )
}

async function pageOf(
  tenant: Tenant,
  filter: Parameters<typeof runsOfFilter>[1],
  page: RunPage,
): Promise<ListedRun[]> {
  const { db, organizationId } = unwrap(tenant)
  const inOrganization = (alias: string) =>
    db.raw(`?? = ?`, [`${alias}.organizationId`, organizationId])
  return db
    .from(runsOfFilter(tenant, filter, page).as('r'))
    .leftJoin('workspaces as w', (on) => on.on(inOrganization('w')).on('w.id', 'r.workspaceId'))
    .leftJoin('pipeline_runs as p', (on) => on.on(inOrganization('p')).on('p.id', 'r.id'))
    .leftJoin('pipelines as l', (on) => on.on(inOrganization('l')).on('l.id', 'p.pipelineId'))
    .orderBy('r.id', page.order)
    .select('r.id', 'r.workspaceId', 'r.isOfApplication', 'p.number', 'p.pipelineId')
    .select({ pipelineName: 'l.name', workspaceName: 'w.name', criticality: 'w.criticality' })
}
