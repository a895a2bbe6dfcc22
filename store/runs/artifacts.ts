import { unavailable } from '../../domain/errors.ts'
import type { ProvenanceBundle } from '../../domain/signing/provenance.ts'
import { unwrap, type Tenant } from '../driver/tenant.ts'

/** What a build made. The bytes are in the artifact store, under the digest. */
export type NewArtifact = {
  digest: string
  contentDigest: string
  sizeBytes: number
  entries: number
}

/** With what is signed of it, sealed. */
export type BuiltRow = NewArtifact & { built: Buffer }

export type Artifact = NewArtifact & {
  /** The run that built it. */
  pipelineRunId: number
  createdAt: Date
  /** Null until its bill of materials was made, or could not be. */
  describedAt: Date | null
  /** Documents of it in the artifact store. */
  spdxDigest: string | null
  cyclonedxDigest: string | null
  provenance: ProvenanceBundle | null
  signedAt: Date | null
  /** It is kept no more: neither bytes nor documents. */
  sweptAt: Date | null
}

export type Descriptions = { spdxDigest: string | null; cyclonedxDigest: string | null }

const columns = [
  'pipelineRunId',
  'digest',
  'contentDigest',
  'sizeBytes',
  'entries',
  'createdAt',
  'describedAt',
  'spdxDigest',
  'cyclonedxDigest',
  'provenance',
  'signedAt',
  'sweptAt',
] as const

/** The artifact of each run that has built one. */
export function artifacts(tenant: Tenant) {
  const { db, organizationId } = unwrap(tenant)
  const row = (pipelineRunId: number) => db('artifacts').where({ organizationId, pipelineRunId })
  const hold = async (digest: string) => holdBytes(tenant, digest)
  return {
    /** False if the run has one already: another attempt was first. */
    async add(pipelineRunId: number, artifact: BuiltRow): Promise<boolean> {
      await hold(artifact.digest)
      const added = await db('artifacts')
        .insert({ organizationId, pipelineRunId, ...artifact })
        .onConflict('pipelineRunId')
        .ignore()
        .returning('pipelineRunId')
      return added.length === 1
    },

    /** What a run deploys: of a promotion and a rollback what another run has built. */
    async ofRun(pipelineRunId: number): Promise<Artifact | undefined> {
      const builder = db('application_runs')
        .where({ organizationId, pipelineRunId })
        .select(db.raw('coalesce(artifact_run_id, pipeline_run_id)'))
      return db('artifacts')
        .where({ organizationId })
        .where('pipelineRunId', '=', builder)
        .first(columns)
    },

    async find(pipelineRunId: number): Promise<Artifact | undefined> {
      return row(pipelineRunId).first(columns)
    },

    /** Counts an attempt to describe it before it is opened, and says which it is. */
    async beginDescription(pipelineRunId: number): Promise<number | undefined> {
      const [counted] = await row(pipelineRunId)
        .whereNull('describedAt')
        .update({ descriptionsBegun: db.raw('descriptions_begun + 1') })
        .returning('descriptionsBegun')
      return counted?.descriptionsBegun
    },

    /** Compare-and-swap: false if another attempt was first, or a later one than `newest` was begun. */
    async describe(pipelineRunId: number, found: Descriptions, newest?: number): Promise<boolean> {
      for (const digest of Object.values(found)) if (digest !== null) await hold(digest)
      const ofNewest = newest === undefined ? {} : { descriptionsBegun: newest }
      const described = await row(pipelineRunId)
        .where({ describedAt: null, sweptAt: null, ...ofNewest })
        .update({ ...found, describedAt: db.fn.now() })
      return described === 1
    },

    /** Compare-and-swap: the first signature stays. */
    async sign(pipelineRunId: number, provenance: ProvenanceBundle): Promise<boolean> {
      const signed = await row(pipelineRunId)
        .whereNull('signedAt')
        .whereNull('sweptAt')
        .update({ provenance: JSON.stringify(provenance), signedAt: db.fn.now() })
      return signed === 1
    },
  }
}

/** The bytes must have been claimed, and must not be going. Held until the transaction ends. */
async function holdBytes(tenant: Tenant, digest: string): Promise<void> {
  const { db, organizationId } = unwrap(tenant)
  const held = await db('artifact_blobs')
    .where({ organizationId, digest })
    .whereNull('removingAt')
    .update({ claimedAt: db.fn.now(), removableAt: null })
  if (held === 0)
    throw unavailable('artifact_store_unavailable', 'The bytes of the artifact are being removed.')
}
