import { unwrap, type Tenant } from '../driver/tenant.ts'
import { Model } from 'objection'

class WorkspaceLockRow extends Model {
  static override tableName = 'workspace_locks'
  static override idColumn = 'workspaceId'
  static override jsonAttributes = ['info']
  declare workspaceId: number
  declare organizationId: number
  declare kind: 'user' | 'run' | 'cli'
  declare lockId: string | null
  /** OpenTofu's lock info, returned as it came. */
  declare info: Record<string, unknown> | null
  declare userId: number | null
  declare workspaceRunId: number | null
  declare label: string
  declare reason: string | null
  declare since: Date
}

export type WorkspaceLock = Omit<WorkspaceLockRow, keyof Model | 'organizationId'>
export type NewWorkspaceLock = Pick<WorkspaceLock, 'workspaceId' | 'kind' | 'label'> &
  Partial<Pick<WorkspaceLock, 'lockId' | 'info' | 'userId' | 'workspaceRunId' | 'reason'>>

/** Without OpenTofu's lock info, which has up to 16 KiB and no list shows. */
export type ListedLock = Omit<WorkspaceLock, 'info'>
const listed = {
  workspaceId: true,
  kind: true,
  lockId: true,
  userId: true,
  workspaceRunId: true,
  label: true,
  reason: true,
  since: true,
} satisfies Record<keyof ListedLock, true>

/** One holder per workspace: the primary key is the lock, so of two concurrent requests one gets `false`. */
export function workspaceLocks(tenant: Tenant) {
  const { db, organizationId } = unwrap(tenant)

  const rows = () => WorkspaceLockRow.query(db).where({ organizationId })

  return {
    async find(workspaceId: number): Promise<WorkspaceLock | undefined> {
      return rows().findOne({ workspaceId })
    },

    async listOf(workspaceIds: readonly number[]): Promise<ListedLock[]> {
      return rows()
        .whereIn('workspaceId', [...workspaceIds])
        .select(Object.keys(listed))
    },

    async take(lock: NewWorkspaceLock): Promise<boolean> {
      const taken = await db('workspace_locks')
        .insert({
          organizationId,
          ...lock,
          info: lock.info ? JSON.stringify(lock.info) : null,
        })
        .onConflict('workspaceId')
        .ignore()
        .returning('workspaceId')
      return taken.length === 1
    },

    /** A run holds the lock since its apply began; its tofu then sets the lock's id. */
    async nameRunLock(workspaceRunId: number, lockId: string, info: Record<string, unknown>) {
      return rows().where({ kind: 'run', workspaceRunId }).patch({ lockId, info })
    },

    /** The run keeps the lock until it ends; only the id that its tofu set is removed. */
    async unnameRunLock(workspaceRunId: number): Promise<void> {
      await rows().where({ kind: 'run', workspaceRunId }).patch({ lockId: null, info: null })
    },

    async release(workspaceId: number): Promise<boolean> {
      return (await rows().where({ workspaceId }).delete()) === 1
    },
  }
}
