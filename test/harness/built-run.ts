import { createHash } from 'node:crypto'
import { signArtifact } from '../../activities/pipelines/sign-artifact.ts'
import { claimBytes } from '../../app/artifacts/claim-bytes.ts'
import type { Deps } from '../../api/deps.ts'
import { artifacts } from '../../store/runs/artifacts.ts'
import { sourceOfRun } from '../../store/runs/source-of-run.ts'
import { moveApplication } from '../../store/runs/move-application.ts'
import { sealedOf } from './deploy/keep-artifact.ts'
import { applicationRun } from './application-run.ts'
import type { TestUser } from './test-user.ts'

export type BuiltRun = {
  id: number
  pipelineId: number
  url: string
  digest: string
  bytes: Buffer
}

export type RunToBuild = {
  pipelineId: number
  bytes: Buffer
  sign?: boolean
  /** Its bill of materials. */
  documents?: { spdx: string; cyclonedx: string }
}

export const manifestOfTest = 'version: 1\nbuild:\n  artifact:\n    path: dist\n'

/** A run of an application that has built these bytes, without a Git host and a sandbox. Unsigned if so said. */
export async function builtRun(
  deps: Pick<Deps, 'store' | 'keyring' | 'artifacts'>,
  owner: TestUser,
  { pipelineId, bytes, sign = true, documents }: RunToBuild,
): Promise<BuiltRun> {
  const { organizationId } = owner
  const { store } = deps
  const { id } = await applicationRun(deps, organizationId, {
    pipelineId,
    origin: 'person',
    authorUserId: owner.id,
    branch: 'main',
  })
  const claim = claimBytes(store, organizationId)
  const options = { maxBytes: 1024 ** 3, claim }
  const put = async (one: Buffer) => deps.artifacts.put(organizationId, pieces(one), options)
  const { digest, sizeBytes } = await put(bytes)
  const spdx = documents ? await put(Buffer.from(documents.spdx)) : undefined
  const cyclonedx = documents ? await put(Buffer.from(documents.cyclonedx)) : undefined
  const hex = (text: string | Buffer) => createHash('sha256').update(text).digest('hex')
  await store.tenant(organizationId, async (tenant) => {
    await moveApplication(tenant, id, { from: 'queued', to: 'sourcing' })
    await sourceOfRun(tenant, id).note({
      sha: hex(String(id)).slice(0, 40),
      message: 'a commit',
      author: 'somebody',
      committedAt: new Date(),
      connectionId: null,
      repository: null,
      branch: 'main',
      manifest: manifestOfTest,
      manifestSha256: hex(manifestOfTest),
    })
    await moveApplication(tenant, id, { from: 'sourcing', to: 'building' })
    const contentDigest = `sha256:${hex(bytes)}`
    const artifact = { digest, contentDigest, sizeBytes, entries: 1 }
    const built = await sealedOf(deps, tenant, { runId: id, artifact })
    await artifacts(tenant).add(id, { ...artifact, built })
    await artifacts(tenant).describe(id, {
      spdxDigest: spdx?.digest ?? null,
      cyclonedxDigest: cyclonedx?.digest ?? null,
    })
  })
  if (sign) await signArtifact({ ...deps, publicOrigin: 'https://control.example' })({ runId: id })
  return { id, pipelineId, url: `/api/pipelines/${pipelineId}/runs/${id}`, digest, bytes }
}

async function* pieces(bytes: Buffer): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += 65_536) yield bytes.subarray(at, at + 65_536)
}
