import { createWriteStream } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { Context } from '@temporalio/activity'
import { claimBytes } from '../../app/artifacts/claim-bytes.ts'
import { endApplicationRun } from '../../app/runs/end-application-run.ts'
import { AppError, conflict } from '../../domain/errors.ts'
import {
  describeArtifact as describe,
  maxSbomBytes,
  type SbomFormat,
} from '../../gateways/artifacts/describe-artifact.ts'
import { partName } from '../../gateways/artifacts/part-name.ts'
import { workbenchFrom } from '../../gateways/sandbox/workbench-from.ts'
import { systemActor } from '../../store/audit/audit-log.ts'
import { applicationAttempts } from '../../store/runs/application-attempts.ts'
import { artifacts, type Descriptions } from '../../store/runs/artifacts.ts'
import { descriptionOfRun, type ToDescribe } from '../../store/runs/description-of-run.ts'
import { logLines } from '../../store/runs/log-lines.ts'
import type { Tenant } from '../../store/driver/tenant.ts'
import type { ApplicationRunInput } from '../../workflows/pipelines/contract.ts'
import type { Deps } from '../deps.ts'
import { beatWhile } from '../beat-while.ts'
import { retryWhileUnavailable } from '../retry-while-unavailable.ts'
import { ownerOfApplication } from './application-owner.ts'
import { withinBuildShare, type HandedBack } from './within-build-share.ts'

type Needed = Pick<Deps, 'store' | 'builds' | 'stopping'>
type Place = { organizationId: number; runId: number }

/** A description that takes its worker down is given up after so many. */
const maxBegun = 3

const none: Descriptions = { spdxDigest: null, cyclonedxDigest: null }

/**
 * Makes the bill of materials of what a run has built, where this worker has the program for it. It is
 * optional: what fails leaves the artifact without one, unless the pipeline requires it.
 */
export const describeArtifact =
  (deps: Needed) =>
  async ({ runId }: ApplicationRunInput): Promise<HandedBack | undefined> => {
    const place = { organizationId: await ownerOfApplication(deps, runId), runId }
    return withinBuildShare(deps, place, async () => {
      const begun = await deps.store.tenant(place.organizationId, async (tenant) => {
        const asked = await descriptionOfRun(tenant, runId)
        await applicationAttempts(tenant, runId).endWaitForSlot()
        return asked && { asked, count: await artifacts(tenant).beginDescription(runId) }
      })
      if (begun?.count === undefined) return
      const { asked, count } = begun
      const { found, why } = await beatWhile(async () => tryOnce(deps, place, { asked, count }))
      await retryWhileUnavailable(async () => note(deps, place, { asked, count, found, why }))
    })
  }

type Outcome = { found: Descriptions; why: string | undefined }

const noProgram: Outcome = { found: none, why: 'this worker has no program for it' }

/** Where this worker has no program for it: says so as soon as the artifact stands, so that no step is taken for it. */
export async function noteUndescribed(
  deps: Pick<Deps, 'store' | 'builds'>,
  { organizationId, runId }: Place,
): Promise<void> {
  if (deps.builds.describes) return
  await deps.store.tenant(organizationId, async (tenant) => {
    const asked = await descriptionOfRun(tenant, runId)
    if (asked) await noteIn(tenant, runId, { asked, ...noProgram })
  })
}

/** Throws only what is worth another attempt of Temporal. */
async function tryOnce(
  deps: Needed,
  place: Place,
  { asked, count }: { asked: ToDescribe; count: number },
): Promise<Outcome> {
  if (!deps.builds.describes) return noProgram
  if (count > maxBegun) return { found: none, why: 'the worker was lost while it was made' }
  try {
    return { found: await describeIn(deps, place, asked), why: undefined }
  } catch (error) {
    if (!(error instanceof AppError) || error.fault === 'unavailable') throw error
    return { found: none, why: error.message }
  }
}

async function describeIn(
  { store, builds, stopping }: Needed,
  { organizationId, runId }: Place,
  { digest, name }: ToDescribe,
): Promise<Descriptions> {
  const read = await builds.artifacts.read(organizationId, digest)
  if (!read) throw conflict('artifact_gone', 'The artifact is not in the store any more.')
  await mkdir(builds.incomingDir, { recursive: true, mode: 0o700 })
  const part = join(builds.incomingDir, await partName())
  const [archive, hostPath] = [`${part}.tar.zst`, `${part}.json`]
  const signal = AbortSignal.any([Context.current().cancellationSignal, stopping])
  const digests: Partial<Record<SbomFormat, string>> = {}
  try {
    await pipeline(read.stream, createWriteStream(archive, { mode: 0o600 }), { signal })
    const loan = await builds.sandbox.lend({
      label: `application-run-${runId}-sbom`,
      sizeBytes: builds.folderBytes,
    })
    try {
      await describe(
        workbenchFrom(loan.grant, async () => {}),
        { archive, hostPath, signal, described: { name, version: digest } },
        async (format, bytes) => {
          const claim = claimBytes(store, organizationId)
          const options = { maxBytes: maxSbomBytes, claim, signal }
          digests[format] = (await builds.artifacts.put(organizationId, bytes, options)).digest
        },
      )
    } finally {
      await loan.close({ lost: true })
    }
  } finally {
    await rm(archive, { force: true })
  }
  return { spdxDigest: digests.spdx ?? null, cyclonedxDigest: digests.cyclonedx ?? null }
}

/** The first attempt that makes one says what the run has. That there is none, the newest alone says. */
async function note(
  { store }: Needed,
  { organizationId, runId }: Place,
  { count, ...outcome }: Noted & { count: number },
): Promise<void> {
  const newest = outcome.why === undefined ? undefined : count
  await store.tenant(organizationId, async (tenant) =>
    noteIn(tenant, runId, { ...outcome, newest }),
  )
}

type Noted = Outcome & { asked: ToDescribe }

async function noteIn(
  tenant: Tenant,
  runId: number,
  { asked, found, why, newest }: Noted & { newest?: number | undefined },
): Promise<void> {
  if (!(await artifacts(tenant).describe(runId, found, newest))) return
  const message =
    why === undefined
      ? 'Bill of materials: SPDX 2.3 and CycloneDX 1.6.'
      : `There is no bill of materials: ${why.replace(/\.$/, '')}.`
  const isFatal = why !== undefined && asked.isRequired
  await logLines(tenant).append(asked.buildStageId, [
    { level: why === undefined ? 'info' : isFatal ? 'error' : 'warn', line: message },
  ])
  if (isFatal)
    await endApplicationRun(
      tenant,
      { runId, actor: systemActor, from: ['building'] },
      {
        phase: 'failed',
        reason: 'build_errored',
        message: `${message} The pipeline requires one.`,
      },
    )
}
