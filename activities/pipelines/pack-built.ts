import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Manifest } from '../../domain/manifest/manifest-schema.ts'
import { claimBytes } from '../../app/artifacts/claim-bytes.ts'
import { packArtifact, type PackedArtifact } from '../../gateways/artifacts/pack-artifact.ts'
import { partName } from '../../gateways/artifacts/part-name.ts'
import type { HookFile } from '../../domain/pipelines/release-changes.ts'
import type { Deps } from '../deps.ts'
import type { Attempt } from './begin-attempt.ts'
import { readHooks } from './read-hooks.ts'
import { RunFault } from './run-fault.ts'
import type { OpenedSource } from './with-source.ts'

export type PackedBuild = PackedArtifact & { hooks: HookFile[] }

/** Packs what the manifest releases, and keeps it. */
export async function packBuilt(
  { builds, store }: Pick<Deps, 'builds' | 'store'>,
  attempt: Attempt,
  { opened, manifest }: { opened: OpenedSource; manifest: Manifest },
): Promise<PackedBuild> {
  const { organizationId, watch } = attempt
  const { path, include, exclude } = manifest.build.artifact
  const choice = { ...(include && { include }), ...(exclude && { exclude }) }
  const folder = join(opened.folder, path)
  await mkdir(builds.incomingDir, { recursive: true, mode: 0o700 })
  const name = `${await partName()}.tar.zst`
  try {
    const hooks = await readHooks(attempt, opened, { folder, choice, deploy: manifest.deploy })
    const packed = await packArtifact(
      opened.bench,
      {
        folder,
        committedAt: opened.commit.committedAt,
        hostPath: join(builds.incomingDir, name),
        ...choice,
      },
      {
        store: builds.artifacts,
        organizationId,
        claim: claimBytes(store, organizationId),
        signal: watch.signal,
      },
    )
    return { ...packed, hooks }
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT')
      throw new RunFault('build_errored', `The build left no folder ${path} to be released.`)
    throw error
  }
}
