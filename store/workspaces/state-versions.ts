import { Model } from 'objection'
import { conflict, notFound } from '../../domain/errors.ts'
import { isUniqueViolation, type Db } from '../connect.ts'

export class StateVersionRow extends Model {
  static override tableName = 'state_versions'
  declare id: number
  declare organizationId: number
  declare workspaceId: number
  declare serial: number
  declare lineage: string
  /** Sealed. */
  declare body: Buffer
  declare bodySha256: string
  declare status: 'finalized' | 'quarantined'
  declare reason: string | null
  declare workspaceRunId: number | null
  declare userId: number | null
  declare createdBy: string
  declare createdAt: Date
}

export type StateVersion = Omit<StateVersionRow, keyof Model | 'organizationId' | 'body'>
export type NewStateVersion = Pick<
  StateVersionRow,
  'workspaceId' | 'serial' | 'lineage' | 'body' | 'bodySha256' | 'createdBy'
> &
  Partial<Pick<StateVersionRow, 'status' | 'reason' | 'workspaceRunId' | 'userId'>>

const withoutBody = [
  'id',
  'workspaceId',
  'serial',
  'lineage',
  'bodySha256',
  'status',
  'reason',
  'workspaceRunId',
  'userId',
  'createdBy',
  'createdAt',
]

/** Every state that a workspace ever had. The newest serial is current; a zombie's late write is kept aside. */
export function stateVersions(db: Db, organizationId: number) {
  const rows = () => StateVersionRow.query(db).where({ organizationId })
  const finalized = (workspaceId: number) => rows().where({ workspaceId, status: 'finalized' })

  return {
    async current(workspaceId: number): Promise<StateVersion | undefined> {
      return finalized(workspaceId).select(withoutBody).orderBy('serial', 'desc').first()
    },

    /** The current serial of each workspace that has state: one index look-up each, however many versions it has. */
    async serialsOf(workspaceIds: readonly number[]): Promise<Map<number, number>> {
      if (workspaceIds.length === 0) return new Map()
      const { rows: found } = await db.raw(
        `select w.id, s.serial from unnest(?::integer[]) as w(id)
           cross join lateral (
             select serial from state_versions
             where organization_id = ? and workspace_id = w.id and status = 'finalized'
             order by serial desc limit 1) s`,
        [[...workspaceIds], organizationId],
      )
      return new Map(found.map((row: { id: number; serial: number }) => [row.id, row.serial]))
    },

    async sealedBody(id: number): Promise<Buffer> {
      const row = await rows().select('body').findOne({ id })
      if (!row) throw notFound()
      return row.body
    },

    async bySerial(workspaceId: number, serial: number): Promise<StateVersion> {
      const row = await finalized(workspaceId).select(withoutBody).findOne({ serial })
      if (!row) throw notFound()
      return row
    },

    async list(workspaceId: number, limit: number, before: number): Promise<StateVersion[]> {
      return rows()
        .select(withoutBody)
        .where({ workspaceId })
        .where('id', '<', before)
        .orderBy('id', 'desc')
        .limit(limit)
    },

    async newestOfRun(workspaceRunId: number): Promise<StateVersion | undefined> {
      return rows()
        .select(withoutBody)
        .where({ workspaceRunId, status: 'finalized' })
        .orderBy('serial', 'desc')
        .first()
    },

    async quarantinedOfRun(workspaceRunId: number): Promise<StateVersion[]> {
      return rows().select(withoutBody).where({ workspaceRunId, status: 'quarantined' })
    },

    async quarantined(workspaceId: number, id: number): Promise<StateVersion> {
      const row = await rows()
        .select(withoutBody)
        .findOne({ workspaceId, id, status: 'quarantined' })
      if (!row) throw notFound()
      return row
    },

    async create(version: NewStateVersion): Promise<StateVersion> {
      try {
        return await db.transaction(async (savepoint) =>
          StateVersionRow.query(savepoint)
            .insert({ organizationId, ...version })
            .returning(withoutBody),
        )
      } catch (error) {
        if (isUniqueViolation(error, 'state_versions_serial'))
          throw conflict(
            'serial_taken',
            `State serial ${version.serial} is stored already. Pull the newest state and try again.`,
          )
        throw error
      }
    },
  }
}
