import { conflict, notFound } from '../../domain/errors.ts'
import { unwrap, type Tenant } from '../driver/tenant.ts'

/** Filters and an order, as the address of the list of workspaces has them. */
export type ViewSearch = {
  q?: string
  state?: string
  criticality?: 'standard' | 'production'
  label?: string[]
  sort?: string
}

export type WorkspaceView = {
  id: number
  name: string
  search: ViewSearch
  createdAt: Date
  /** Address or name of who shared it, also after they have left. */
  sharedBy: string
}

const mostViews = 50
/** The first key of the advisory lock, arbitrary; the second is the organization. */
const createLock = 1_846_203_578

/** The views of the list of workspaces that members shared with the organization. */
export function workspaceViews(tenant: Tenant) {
  const { db, organizationId } = unwrap(tenant)

  const rows = () => db('workspace_views').where({ organizationId })
  const views = () =>
    db('workspace_views as v')
      .join('users as u', (on) =>
        on.on('u.organizationId', 'v.organizationId').on('u.id', 'v.userId'),
      )
      .where('v.organizationId', organizationId)
      .select<WorkspaceView[]>(
        'v.id',
        'v.name',
        'v.search',
        'v.createdAt',
        db.raw(`coalesce(nullif(u.email, ''), u.name) as shared_by`),
      )

  return {
    /** By name. There are at most 50. */
    async list(): Promise<WorkspaceView[]> {
      return views().orderByRaw('lower(v.name)')
    },

    async get(id: number): Promise<WorkspaceView> {
      const [view] = await views().where('v.id', id)
      if (!view) throw notFound()
      return view
    },

    async create(view: { name: string; search: ViewSearch; userId: number }): Promise<number> {
      // Otherwise requests at once could each find room for one more.
      await db.raw('select pg_advisory_xact_lock(?, ?)', [createLock, organizationId])
      const { name } = view
      const [taken] = await rows().whereRaw('lower(name) = lower(?)', [name]).select('id', 'name')
      if (taken)
        throw conflict('name_taken', `There is a shared view ${taken.name} already.`, taken.id)
      const ids: number[] = await rows().pluck('id')
      if (ids.length >= mostViews)
        throw conflict('view_limit', `An organization has at most ${mostViews} shared views.`)
      const [row] = await db('workspace_views')
        .insert({ organizationId, ...view, search: JSON.stringify(view.search) })
        .returning('id')
      return row.id
    },

    async delete(id: number): Promise<void> {
      const count = await rows().where({ id }).delete()
      if (count === 0) throw notFound()
    },
  }
}
