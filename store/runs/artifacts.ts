import { unwrap, type Tenant } from '../driver/tenant.ts'

/** What a build made. The bytes are in the artifact store, under the digest. */
export type Artifact = {
  digest: string
  contentDigest: string
  sizeBytes: number
  entries: number
}

/** The artifact of each run that has built one. */
export function artifacts(tenant: Tenant) {
  const { db, organizationId } = unwrap(tenant)
  return {
    /** In the transaction that ends the build, so that a run has one or none. */
    async add(pipelineRunId: number, artifact: Artifact): Promise<void> {
      await db('artifacts').insert({ organizationId, pipelineRunId, ...artifact })
    },

    async find(pipelineRunId: number): Promise<Artifact | undefined> {
      return db('artifacts')
        .where({ organizationId, pipelineRunId })
        .first('digest', 'contentDigest', 'sizeBytes', 'entries')
    },
  }
}
