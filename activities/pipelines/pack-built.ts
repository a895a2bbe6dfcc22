import { randomBytes } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Manifest } from '../../domain/manifest/manifest-schema.ts'
import { claimBytes } from '../../app/artifacts/claim-bytes.ts'
import { packArtifact, type PackedArtifact } from '../../gateways/artifacts/pack-artifact.ts'
import type { Deps } from '../deps.ts'
import type { Attempt } from './begin-attempt.ts'
import { RunFault } from './run-fault.ts'
import type { OpenedSource } from './with-source.ts'

/** Packs what the manifest releases, and keeps it. */
export async function packBuilt(
  { builds, store }: Pick<Deps, 'builds' | 'store'>,
  { organizationId, watch }: Attempt,
  { opened, manifest }: { opened: OpenedSource; manifest: Manifest },
): Promise<PackedArtifact> {
  const { path, include, exclude } = manifest.build.artifact
  const folder = join(opened.folder, path)
  await mkdir(builds.incomingDir, { recursive: true, mode: 0o700 })
  const name = `${process.pid}-${randomBytes(12).toString('hex')}.tar.zst`
  try {
    await assertHooks(opened, folder, manifest)
    return await packArtifact(
      opened.bench,
      {
        folder,
        committedAt: opened.commit.committedAt,
        hostPath: join(builds.incomingDir, name),
        ...(include && { include }),
        ...(exclude && { exclude }),
      },
      {
        store: builds.artifacts,
        organizationId,
        claim: claimBytes(store, organizationId),
        signal: watch.signal,
      },
    )
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT')
      throw new RunFault('build_errored', `The build left no folder ${path} to be released.`)
    throw error
  }
}

/** Hooks are files of the artifact. One that is not there would be found on a host, after the switch. */
async function assertHooks(
  { bench }: OpenedSource,
  folder: string,
  { deploy }: Manifest,
): Promise<void> {
  const hooks = Object.entries(deploy?.hooks ?? {}).map(
    ([name, hook]) => [name, typeof hook === 'string' ? hook : hook.path] as const,
  )
  if (hooks.length === 0) return
  const end = await bench.run({
    program: 'sh',
    args: [
      '-ec',
      'for path; do test -f "$path" || exit 3; echo; done',
      'sh',
      ...hooks.map(([, path]) => path),
    ],
    env: { PATH: '/usr/bin:/bin' },
    cwd: folder,
    network: 'none',
    limits: {
      timeoutMs: 30_000,
      silenceMs: 30_000,
      memoryBytes: 256 * 1024 ** 2,
      processes: 16,
      fileSizeBytes: 1024 ** 2,
    },
    captureBytes: 4_096,
  })
  const [name, path] = hooks[end.stdout.length] ?? []
  if (end.exitCode === 3 && name !== undefined)
    throw new RunFault('build_errored', `The artifact has no file ${path}, the hook "${name}".`)
}
