import { ensureSigningKey } from '../../app/signing/ensure-signing-key.ts'
import { afterArtifact } from '../../app/runs/after-artifact.ts'
import { signProvenance } from '../../domain/signing/provenance.ts'
import { artifacts } from '../../store/runs/artifacts.ts'
import { factsOfProvenance } from '../../store/runs/facts-of-provenance.ts'
import { logLines } from '../../store/runs/log-lines.ts'
import { releases } from '../../store/runs/releases.ts'
import type { ApplicationRunInput } from '../../workflows/pipelines/contract.ts'
import type { Deps } from '../deps.ts'
import { ownerOfApplication } from './application-owner.ts'

/**
 * Signs what a run has built, and lets the run go on. Idempotent: the first signature stays, and what
 * follows is done once, in the same transaction.
 */
export const signArtifact =
  (deps: Pick<Deps, 'store' | 'keyring' | 'publicOrigin'>) =>
  async ({ runId }: ApplicationRunInput): Promise<void> => {
    const organizationId = await ownerOfApplication(deps, runId)
    const facts = await deps.store.tenant(organizationId, async (tenant) =>
      factsOfProvenance(tenant, runId),
    )
    if (!facts) return
    const { builtAt: finishedAt, buildStageId, signedAt, ...built } = facts
    const key = signedAt === null ? await ensureSigningKey(deps, organizationId) : undefined
    const bundle = key && signProvenance({ ...built, finishedAt, baseUrl: deps.publicOrigin }, key)
    await deps.store.tenant(organizationId, async (tenant) => {
      // Before any other row, as everything that decides which run of the pipeline goes on.
      await releases(tenant).holdPipeline(facts.pipeline.id)
      if (key && bundle && (await artifacts(tenant).sign(runId, bundle)))
        await logLines(tenant).append(buildStageId, [
          { level: 'info', line: `Signed with the key ${key.keyId}.` },
        ])
      await afterArtifact(tenant, runId)
    })
  }
