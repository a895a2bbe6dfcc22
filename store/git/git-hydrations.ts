import { unwrap, type Tenant } from '../driver/tenant.ts'
import { Model } from 'objection'
import { notFound } from '../../domain/errors.ts'

export type HydrationState =
  | 'queued'
  | 'written'
  | 'proposed'
  | 'diverged'
  | 'superseded'
  | 'failed'

/** Path to blob id. */
type Listing = Record<string, string>

class GitHydrationRow extends Model {
  static override tableName = 'git_hydrations'
  static override jsonAttributes = ['files']
  declare id: number
  declare organizationId: number
  declare workspaceId: number
  declare connectionId: number | null
  declare configurationVersionId: number
  /** The run that caused the write; null if a new version did. */
  declare workspaceRunId: number | null
  declare repositoryId: string
  declare branch: string
  declare state: HydrationState
  declare reason: string | null
  declare decision: 'theirs' | 'ours' | null
  declare commitSha: string | null
  declare pullRequestUrl: string | null
  declare files: Listing | null
  /** Sealed: all of them, for who decides. */
  declare differences: Buffer | null
  /** Sealed: what of them is shown, and how many more there are. */
  declare shownDifferences: Buffer | null
  declare createdAt: Date
  declare endedAt: Date | null
}

export type GitHydration = Omit<GitHydrationRow, keyof Model | 'organizationId'>

/** Where a workspace is written to. */
export type HydrationPlace = { connectionId: number; repositoryId: string; branch: string }

/** A file that was changed in the repository. Null: it does not exist there. */
export type Difference = {
  path: string
  theirs: string | null
  theirBlob: string | null
  /** It exists, and is more than a configuration may have: `theirs` is null, and it can only be overwritten. */
  tooLarge?: boolean
}

/** Without the columns that may take megabytes. */
const small = [
  'id',
  'workspaceId',
  'connectionId',
  'configurationVersionId',
  'workspaceRunId',
  'repositoryId',
  'branch',
  'state',
  'reason',
  'decision',
  'commitSha',
  'pullRequestUrl',
  'createdAt',
  'endedAt',
] as const
export type HydrationSummary = Pick<GitHydration, (typeof small)[number]>

/** Bound to its row: the differences of another hydrate do not open in its place. */
export const placeOfShown = (organizationId: number, id: number) => ({
  organizationId,
  table: 'git_hydrations',
  column: `shown_differences of ${id}`,
})

export const placeOfDifferences = (organizationId: number) =>
  ({ organizationId, table: 'git_hydrations', column: 'differences' }) as const

/** Which files of which version were written where. */
export function gitHydrations(tenant: Tenant) {
  const { db, organizationId } = unwrap(tenant)

  const rows = () => GitHydrationRow.query(db).where({ organizationId })

  return {
    async get(workspaceId: number, id: number): Promise<HydrationSummary> {
      const row = await rows()
        .select(...small)
        .findOne({ workspaceId, id })
      if (!row) throw notFound()
      return row
    },

    async getShown(
      workspaceId: number,
      id: number,
    ): Promise<HydrationSummary & Pick<GitHydration, 'shownDifferences'>> {
      const row = await rows()
        .select(...small, 'shownDifferences')
        .findOne({ workspaceId, id })
      if (!row) throw notFound()
      return row
    },

    async getForUpdate(workspaceId: number, id: number): Promise<HydrationSummary> {
      const row = await rows()
        .select(...small)
        .findOne({ workspaceId, id })
        .forUpdate()
      if (!row) throw notFound()
      return row
    },

    /** With its differences. */
    async getWhole(workspaceId: number, id: number): Promise<GitHydration> {
      const row = await rows().findOne({ workspaceId, id })
      if (!row) throw notFound()
      return row
    },

    async find(id: number): Promise<GitHydration | undefined> {
      return rows().findOne({ id })
    },

    async list(workspaceId: number, limit: number, before: number): Promise<HydrationSummary[]> {
      return rows()
        .select(...small)
        .where({ workspaceId })
        .where('id', '<', before)
        .orderBy('id', 'desc')
        .limit(limit)
    },

    /**
     * The listing that was last written to this branch (empty if none), and all that were begun or
     * proposed since: it is not known whether the branch has those.
     */
    async written(at: Pick<GitHydration, 'workspaceId' | 'repositoryId' | 'branch'>) {
      const { workspaceId, repositoryId, branch } = at
      const place = { workspaceId, repositoryId, branch }
      const last = await rows()
        .where({ ...place, state: 'written' })
        .orderBy('id', 'desc')
        .select('id', 'files')
        .first()
      const since = await rows()
        .where(place)
        .whereNotNull('files')
        .where('id', '>', last?.id ?? 0)
        .orderBy('id')
        .select('files')
      return [last, ...since].map((row) => row?.files ?? {})
    },

    /**
     * Notes a write before it happens. `late`: a later version of the workspace is already there.
     * `wait`: an earlier write may have committed and must report first; one that never ends blocks
     * the next for a few minutes only.
     */
    async begin(
      { id, workspaceId, repositoryId, branch }: GitHydration,
      files: Listing,
    ): Promise<'go' | 'wait' | 'late'> {
      const place = { workspaceId, repositoryId, branch }
      const later = await rows()
        .where(place)
        .whereIn('state', ['written', 'proposed'])
        .where('id', '>', id)
        .select('id')
        .first()
      if (later) return 'late'
      const earlier = await rows()
        .where({ ...place, state: 'queued' })
        .whereNotNull('files')
        .where('id', '<', id)
        .whereRaw(`created_at > now() - interval '10 minutes'`)
        .select('id')
        .first()
      if (earlier) return 'wait'
      await rows().where({ id, state: 'queued' }).patch({ files })
      return 'go'
    },

    /** Compare-and-swap out of `queued`: of an activity and its retry one gets `true` and writes the audit entry. */
    async end(
      id: number,
      change: Partial<GitHydration> & { state: HydrationState },
    ): Promise<boolean> {
      const moved = await rows()
        .where({ id, state: 'queued' })
        .patch({ ...change, endedAt: new Date() })
      return moved === 1
    },

    /** The proposals of earlier versions to the same branch whose pull requests may be open. */
    async olderProposals(
      { id, workspaceId, repositoryId, branch }: GitHydration,
      limit: number,
    ): Promise<Array<{ id: number; versionNumber: number }>> {
      return db('git_hydrations as h')
        .join('configuration_versions as v', 'v.id', 'h.configurationVersionId')
        .where({ 'h.organizationId': organizationId, 'v.organizationId': organizationId })
        .where({ 'h.workspaceId': workspaceId, 'h.repositoryId': repositoryId })
        .where({ 'h.branch': branch, 'h.state': 'proposed' })
        .whereNull('h.reason')
        .where('h.id', '<', id)
        .orderBy('h.id', 'desc')
        .limit(limit)
        .select('h.id', 'v.number as versionNumber')
    },

    /** A proposal that a later version has replaced, or whose pull request a person had closed or merged. */
    async endProposal(id: number, end: 'superseded' | 'pull_request_closed'): Promise<void> {
      await rows()
        .where({ id, state: 'proposed' })
        .patch(end === 'superseded' ? { state: 'superseded' } : { reason: end })
    },

    /** Which of these commits this service has written. */
    async ownCommits(commits: readonly string[]): Promise<Set<string>> {
      if (commits.length === 0) return new Set()
      const found = await rows()
        .whereIn('commitSha', [...commits])
        .select('commitSha')
      return new Set(found.flatMap(({ commitSha }) => commitSha ?? []))
    },

    /** Stores a person's decision: a diverged write is retried, or ends. */
    async decide(id: number, change: Partial<GitHydration>): Promise<void> {
      await rows().where({ id, state: 'diverged' }).patch(change)
    },

    async create(
      hydration: HydrationPlace &
        Pick<GitHydration, 'workspaceId' | 'configurationVersionId' | 'workspaceRunId'>,
    ): Promise<number> {
      const { id } = await GitHydrationRow.query(db).insertAndFetch({
        organizationId,
        ...hydration,
      })
      return id
    },

    /** The newest write of a version to a branch. */
    async newestOf(
      of: Pick<GitHydration, 'workspaceId' | 'configurationVersionId' | 'repositoryId' | 'branch'>,
    ): Promise<GitHydration | undefined> {
      const { workspaceId, configurationVersionId, repositoryId, branch } = of
      return rows()
        .where({ workspaceId, configurationVersionId, repositoryId, branch })
        .orderBy('id', 'desc')
        .first()
    },

    /** Notes the run that a write is for, if the write waits and no run is noted yet. */
    async noteRun(id: number, workspaceRunId: number): Promise<void> {
      await rows()
        .where({ id, state: 'queued', files: null, workspaceRunId: null })
        .patch({ workspaceRunId })
    },

    /** The branch that a workspace is written to; undefined if there is none. */
    async placeOf(workspaceId: number): Promise<HydrationPlace | undefined> {
      return db('workspaces as w')
        .join('git_connections as c', (on) =>
          on.on('c.id', 'w.git_connection_id').andOn('c.organization_id', 'w.organization_id'),
        )
        .join('git_claims as l', 'l.connectionId', 'c.id')
        .where({ 'w.organizationId': organizationId, 'w.id': workspaceId, 'c.repoType': 'infra' })
        .where('w.sourceKind', 'inline')
        .first('c.id as connectionId', 'l.repositoryId', 'l.branch')
    },

    /** The workspace and the version that a write is of. */
    async subjectOf(id: number): Promise<{ name: string; number: number } | undefined> {
      return db('git_hydrations as h')
        .join('configuration_versions as v', 'v.id', 'h.configurationVersionId')
        .join('workspaces as w', 'w.id', 'h.workspaceId')
        .where({ 'h.organizationId': organizationId, 'h.id': id })
        .first('w.name', 'v.number')
    },
  }
}
