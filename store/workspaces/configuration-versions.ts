import { askNamed } from '../driver/ask-prepared.ts'
import { unwrap, type Tenant } from '../driver/tenant.ts'
import { Model } from 'objection'
import { notFound } from '../../domain/errors.ts'
import { copyRows } from '../copy-rows.ts'

class ConfigurationVersionRow extends Model {
  static override tableName = 'configuration_versions'
  declare id: number
  declare organizationId: number
  declare workspaceId: number
  declare number: number
  declare source: 'api' | 'git'
  declare commitSha: string | null
  /** As the commit has them, if it was among those that were listed. Anybody can write them. */
  declare commitAuthor: string | null
  declare commitMessage: string | null
  declare authorUserIds: number[]
  declare unknownAuthor: boolean
  /** Set for a version of a pull request: it is planned, and never becomes the workspace's newest. */
  declare pullRequestId: number | null
  /** Sealed. */
  declare files: Buffer
  declare filesSha256: string
  /** In order. */
  declare fileNames: string[]
  /** The git blob id of each of them, in the same order; null for versions from before these were noted. */
  declare fileBlobs: string[] | null
  declare sizeBytes: number
  /** All modules that they call are part of them; null for files that were stored before this was looked at. */
  declare localModules: boolean | null
  declare createdAt: Date
}

export type ConfigurationVersion = Omit<
  ConfigurationVersionRow,
  keyof Model | 'organizationId' | 'files' | 'fileBlobs' | 'commitAuthor' | 'commitMessage'
>
export type NewConfigurationVersion = Pick<
  ConfigurationVersionRow,
  | 'workspaceId'
  | 'authorUserIds'
  | 'files'
  | 'filesSha256'
  | 'fileNames'
  | 'fileBlobs'
  | 'sizeBytes'
> &
  Partial<
    Pick<
      ConfigurationVersionRow,
      | 'source'
      | 'commitSha'
      | 'commitAuthor'
      | 'commitMessage'
      | 'unknownAuthor'
      | 'pullRequestId'
      | 'localModules'
    >
  >

const withoutFiles = [
  'id',
  'workspaceId',
  'number',
  'source',
  'commitSha',
  'authorUserIds',
  'unknownAuthor',
  'pullRequestId',
  'filesSha256',
  'fileNames',
  'sizeBytes',
  'localModules',
  'createdAt',
]

export const placeOfFiles = (organizationId: number) =>
  ({ organizationId, table: 'configuration_versions', column: 'files' }) as const

/** For each version in a list: 200 versions of 1,000 files would be 50 MB of names. */
const namesPerVersion = 40

/** Immutable versions of a workspace's files. A run names one, so that its plan and its apply read the same files. */
export function configurationVersions(tenant: Tenant) {
  const { db, organizationId } = unwrap(tenant)

  const rows = () => ConfigurationVersionRow.query(db).where({ organizationId })

  return {
    /** The caller holds the workspace's row, so the next number is free. */
    async create(version: NewConfigurationVersion): Promise<ConfigurationVersion> {
      const last = await rows()
        .select('number')
        .where({ workspaceId: version.workspaceId })
        .orderBy('number', 'desc')
        .first()
      return ConfigurationVersionRow.query(db)
        .insert({ organizationId, ...version, number: (last?.number ?? 0) + 1 })
        .returning(withoutFiles)
    },

    /** Of a version that was stored before these were noted. The same files were just read. */
    async noteFiles(
      id: number,
      { localModules, blobs }: { localModules: boolean; blobs: string[] },
    ): Promise<void> {
      await rows().where({ id }).whereNull('fileBlobs').patch({ localModules, fileBlobs: blobs })
    },

    /** In the order of `fileNames`; null for a version from before they were noted. */
    async blobsOf(id: number): Promise<string[] | null> {
      const row = await rows().select('fileBlobs').findOne({ id })
      return row?.fileBlobs ?? null
    },

    async newest(workspaceId: number): Promise<ConfigurationVersion | undefined> {
      return rows()
        .select(withoutFiles)
        .where({ workspaceId, pullRequestId: null })
        .orderBy('number', 'desc')
        .first()
    },

    /** By its number, which versions of pull requests have too. */
    async find(workspaceId: number, number: number): Promise<ConfigurationVersion | undefined> {
      return rows().select(withoutFiles).findOne({ workspaceId, number })
    },

    async list(workspaceId: number, limit: number, before: number) {
      return rows()
        .select(withoutFiles.filter((column) => column !== 'fileNames'))
        .select(
          db.raw('file_names[1:?::integer] as file_names', [namesPerVersion]),
          db.raw('cardinality(file_names) as file_count'),
        )
        .where({ workspaceId, pullRequestId: null })
        .where('id', '<', before)
        .orderBy('id', 'desc')
        .limit(limit)
        .castTo<Array<ConfigurationVersion & { fileCount: number }>>()
    },

    /** The newest number of each workspace that has a version. */
    async numbersOf(workspaceIds: readonly number[]): Promise<Map<number, number>> {
      if (workspaceIds.length === 0) return new Map()
      const query = db.raw(
        `select w.id, v.number from unnest(array(select unnest(?::integer[]))) as w(id)
           cross join lateral (
             select number from configuration_versions
             where organization_id = ? and workspace_id = w.id and pull_request_id is null
             order by number desc limit 1) v`,
        [[...workspaceIds], organizationId],
      )
      const newest = await askNamed<{ id: number; number: number }>(db, 'numbers-of', query)
      return new Map(newest.map(({ id, number }) => [id, number]))
    },

    async get(id: number): Promise<ConfigurationVersion> {
      const row = await rows().select(withoutFiles).findOne({ id })
      if (!row) throw notFound()
      return row
    },

    /** The pull request that a version was read from; null for a version of the workspace's own. */
    async pullRequestOf(id: number): Promise<number | null> {
      const row = await rows().select('pullRequestId').findOne({ id })
      return row?.pullRequestId ?? null
    },

    /** A piece of the sealed files, so that a reader who streams them holds one piece. Empty at the end. */
    async sealedPiece(id: number, offset: number, length: number): Promise<Buffer> {
      const piece = db('configuration_versions')
        .where({ organizationId, id })
        .select(db.raw('substring(files from ? for ?)', [offset + 1, length]))
      const [bytes] = await copyRows(db, piece, ([column]) => column && Buffer.from(column))
      if (!bytes) throw notFound()
      return bytes
    },

    async sealedFiles(id: number): Promise<Buffer> {
      const row = await rows().select('files').findOne({ id })
      if (!row) throw notFound()
      return row.files
    },
  }
}
