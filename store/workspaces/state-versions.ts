import { askNamed } from '../driver/ask-prepared.ts'
import { unwrap, type Tenant } from '../driver/tenant.ts'
import { Model, type QueryBuilder } from 'objection'
import { conflict, notFound } from '../../domain/errors.ts'
import type { StateHeader } from '../../domain/workspaces/split-state.ts'
import { isUniqueViolation, type Store } from '../driver/connect.ts'

class StateVersionRow extends Model {
  static override tableName = 'state_versions'
  declare id: number
  declare organizationId: number
  declare workspaceId: number
  declare serial: number
  /** How many lineages the workspace had before this one. */
  declare generation: number
  declare lineage: string
  /** Sealed. Set only in versions that were stored before states were kept in parts (state-parts.ts). */
  declare body: Buffer | null
  declare bodySha256: string
  declare status: 'finalized' | 'quarantined'
  declare reason: string | null
  declare workspaceRunId: number | null
  declare userId: number | null
  declare createdBy: string
  declare createdAt: Date
  /**
   * Null until the state is in parts, as are the next four. A state that an apply could not save has
   * this and `bodyMd5` alone; null where its worker was killed before all of it was stored.
   */
  declare sizeBytes: number | null
  /** In base64. */
  declare bodyMd5: string | null
  declare managedResources: number | null
  declare omittedResources: number | null
  declare omittedOutputs: number | null
  /** The digest of the cloud resources it holds, once they are noted (store/clouds/workspace-resources.ts). */
  declare heldSha256: string | null
}

export type StateVersion = Omit<StateVersionRow, keyof Model | 'organizationId' | 'body'>
/** What its pieces are found by. */
export type PlacedState = Pick<StateVersion, 'id' | 'workspaceId' | 'sizeBytes'>
export type NewStateVersion = Pick<
  StateVersionRow,
  'workspaceId' | 'serial' | 'lineage' | 'bodySha256' | 'createdBy'
> &
  Partial<
    Pick<
      StateVersionRow,
      'status' | 'reason' | 'workspaceRunId' | 'userId' | 'generation' | 'heldSha256'
    >
  > &
  // Its parts are added to it (state-parts.ts); or its pieces are, and then `noteBytes` is called.
  (StateHeader | { sizeBytes: null })

const withoutBody = [
  'id',
  'workspaceId',
  'serial',
  'generation',
  'lineage',
  'bodySha256',
  'status',
  'reason',
  'workspaceRunId',
  'userId',
  'createdBy',
  'createdAt',
  'sizeBytes',
  'bodyMd5',
  'managedResources',
  'omittedResources',
  'omittedOutputs',
  'heldSha256',
]

/** All states of a workspace. The newest serial of the newest generation is current; quarantined versions never are. */
export function stateVersions(tenant: Tenant) {
  const { db, organizationId } = unwrap(tenant)

  const rows = () => StateVersionRow.query(db).where({ organizationId })
  const finalized = (workspaceId: number) => rows().where({ workspaceId, status: 'finalized' })

  const newestFirst = (query: QueryBuilder<StateVersionRow>) =>
    query.orderBy('generation', 'desc').orderBy('serial', 'desc')

  return {
    async current(workspaceId: number): Promise<StateVersion | undefined> {
      return newestFirst(finalized(workspaceId).select(withoutBody)).first()
    },

    /** The current serial of each workspace with a state, by one index look-up each. */
    async serialsOf(workspaceIds: readonly number[]): Promise<Map<number, number>> {
      if (workspaceIds.length === 0) return new Map()
      const query = db.raw(
        `select w.id, s.serial from unnest(array(select unnest(?::integer[]))) as w(id)
           cross join lateral (
             select serial from state_versions
             where organization_id = ? and workspace_id = w.id and status = 'finalized'
             order by generation desc, serial desc limit 1) s`,
        [[...workspaceIds], organizationId],
      )
      const found = await askNamed<{ id: number; serial: number }>(db, 'serials-of', query)
      return new Map(found.map(({ id, serial }) => [id, serial]))
    },

    /** Null if the state is in parts. */
    async sealedBody(id: number): Promise<Buffer | null> {
      const row = await rows().select('body').findOne({ id }).forUpdate()
      if (!row) throw notFound()
      return row.body
    },

    /** Notes that an older state is in parts now. */
    async settle(id: number, { lineage: _l, serial: _s, ...known }: StateHeader): Promise<void> {
      await rows()
        .findOne({ id })
        .patch({ ...known, body: null })
    },

    async noteHeld(id: number, heldSha256: string): Promise<void> {
      await rows().findOne({ id }).patch({ heldSha256 })
    },

    /** Notes that all pieces of a version are stored. */
    async noteBytes(
      id: number,
      known: Pick<StateHeader, 'sizeBytes' | 'bodySha256' | 'bodyMd5'>,
    ): Promise<void> {
      await rows().findOne({ id }).patch(known)
    },

    /** Any version, current or not. */
    async get(workspaceId: number, id: number): Promise<StateVersion> {
      const row = await rows().select(withoutBody).findOne({ workspaceId, id })
      if (!row) throw notFound()
      return row
    },

    /** If several lineages have the serial, the newest one's unless `lineage` is given. */
    async bySerial(workspaceId: number, serial: number, lineage?: string): Promise<StateVersion> {
      const row = await newestFirst(finalized(workspaceId).select(withoutBody))
        .where({ serial, ...(lineage !== undefined && { lineage }) })
        .first()
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
      return newestFirst(
        rows().select(withoutBody).where({ workspaceRunId, status: 'finalized' }),
      ).first()
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

    /** In the newest generation, unless it begins another. */
    async create(version: NewStateVersion): Promise<StateVersion> {
      const { generation = (await this.current(version.workspaceId))?.generation ?? 0 } = version
      try {
        return await db.transaction(async (savepoint) =>
          StateVersionRow.query(savepoint)
            .insert({ organizationId, ...version, generation })
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

/** The newest finalized state of a serial and lineage, in one round trip. */
export async function stateOfSerial(
  store: Pick<Store, 'read'>,
  organizationId: number,
  of: Pick<StateVersion, 'workspaceId' | 'serial' | 'lineage'>,
): Promise<PlacedState | undefined> {
  const [found] = await store.read<PlacedState>(organizationId, {
    name: 'state-of-serial',
    text: `select id, workspace_id as "workspaceId", size_bytes as "sizeBytes" from state_versions
      where organization_id = $1 and workspace_id = $2 and status = 'finalized'
        and serial = $3 and lineage = $4
      order by generation desc limit 1`,
    values: [organizationId, of.workspaceId, of.serial, of.lineage],
  })
  return found
}
