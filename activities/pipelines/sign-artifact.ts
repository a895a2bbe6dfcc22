import { ensureSigningKey } from '../../app/signing/ensure-signing-key.ts'
import { openBuilt } from '../../app/artifacts/seal-built.ts'
import { afterArtifact } from '../../app/runs/after-artifact.ts'
import { endApplicationRun } from '../../app/runs/end-application-run.ts'
import { signProvenance, type ProvenanceBundle } from '../../domain/signing/provenance.ts'
import { auditLog, systemActor } from '../../store/audit/audit-log.ts'
import type { Tenant } from '../../store/driver/tenant.ts'
import { artifacts } from '../../store/runs/artifacts.ts'
import { factsOfProvenance, type BuiltFacts } from '../../store/runs/facts-of-provenance.ts'
import { logLines } from '../../store/runs/log-lines.ts'
import { releases } from '../../store/runs/releases.ts'
import type { ApplicationRunInput } from '../../workflows/pipelines/contract.ts'
import type { Deps } from '../deps.ts'
import { ownerOfApplication } from './application-owner.ts'

type Needed = Pick<Deps, 'store' | 'keyring' | 'publicOrigin'>

/**
 * Signs what a run has built, and lets the run go on. Idempotent: the first signature stays, and what
 * follows is done once, in the same transaction.
 */
export const signArtifact =
  (deps: Needed) =>
  async ({ runId }: ApplicationRunInput): Promise<void> => {
    const organizationId = await ownerOfApplication(deps, runId)
    const facts = await deps.store.tenant(organizationId, async (tenant) =>
      factsOfProvenance(tenant, runId),
    )
    if (!facts) return
    const signed =
      facts.signedAt === null ? await signFacts(deps, organizationId, facts) : undefined
    await deps.store.tenant(organizationId, async (tenant) => {
      // Before any other row, as everything that decides which run of the pipeline goes on.
      await releases(tenant).holdPipeline(facts.pipeline.id)
      if (signed === 'refused') return refuse(tenant, facts)
      if (signed && (await artifacts(tenant).sign(runId, signed.bundle)))
        await logLines(tenant).append(facts.buildStageId, [
          { level: 'info', line: `Signed with the key ${signed.keyId}.` },
        ])
      await afterArtifact(tenant, runId)
    })
  }

/** Signs what the worker that built it has sealed, if the store still says the same. */
async function signFacts(
  deps: Needed,
  organizationId: number,
  facts: BuiltFacts,
): Promise<'refused' | { bundle: ProvenanceBundle; keyId: string }> {
  const { organization, pipeline, runId, startedAt, builtAt: finishedAt } = facts
  const built = openBuilt(deps.keyring, { organizationId, runId }, facts.built)
  if (!built || compared.some((name) => built[name] !== facts[name])) return 'refused'
  const key = await ensureSigningKey(deps, organizationId)
  const said = { organization, pipeline, runId, startedAt, finishedAt, baseUrl: deps.publicOrigin }
  return { bundle: signProvenance({ ...built, ...said }, key), keyId: key.keyId }
}

const compared = [
  'digest',
  'contentDigest',
  'sizeBytes',
  'entries',
  'commitSha',
  'manifestSha256',
] as const

async function refuse(tenant: Tenant, { runId, pipeline, digest }: BuiltFacts): Promise<void> {
  const ended = await endApplicationRun(
    tenant,
    { runId, actor: systemActor, from: ['building'] },
    {
      phase: 'failed',
      reason: 'build_errored',
      message:
        'The artifact is not signed: what is stored of it is not what was built. Start a new run.',
    },
  )
  if (ended)
    await auditLog(tenant, systemActor).record('pipeline.release_refused', {
      outcome: 'denied',
      target: { kind: 'run', id: runId, label: pipeline.name },
      detail: { pipelineId: pipeline.id, digest, because: 'what is stored is not what was built' },
    })
}
