import { createHash } from 'node:crypto'
import { checkManifest } from '../../domain/manifest/check-manifest.ts'
import { faultInWords } from '../../domain/manifest/manifest-fault.ts'
import { manifestLimits } from '../../domain/manifest/manifest-limits.ts'
import type { Manifest } from '../../domain/manifest/manifest-schema.ts'
import { manifestPath, starterFor, starters } from '../../domain/manifest/starters.ts'
import { sourceFolder } from '../../gateways/runner/protocol.ts'
import type { Workbench } from '../../gateways/sandbox/workbench.ts'
import { RunFault } from './run-fault.ts'
import type { OpenedSource } from './with-source.ts'

export type ReadManifest = { manifest: Manifest; yaml: string; sha256: string; warnings: string[] }

/**
 * Reads the manifest of a source, and never follows a link to it. Throws what is wrong with it, each fault as
 * a line of the log.
 */
export async function readManifest({
  bench,
  folder,
}: Pick<OpenedSource, 'bench' | 'folder'>): Promise<ReadManifest> {
  const bytes = await bench.read(`${folder}/${manifestPath}`, manifestLimits.bytes)
  if (!bytes) throw await missing(bench, folder)
  const yaml = textOf(bytes)
  const { manifest, errors, warnings } = checkManifest(yaml)
  if (!manifest)
    throw new RunFault('source_errored', `The manifest ${manifestPath} cannot be used.`, {
      lines: errors.map(faultInWords),
    })
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  return { manifest, yaml, sha256, warnings: warnings.map(faultInWords) }
}

function textOf(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new RunFault('source_errored', `The manifest ${manifestPath} is not UTF-8.`)
  }
}

/** With a manifest to begin with, by the language that the files at the top show. */
async function missing(bench: Workbench, folder: string): Promise<RunFault> {
  const names = starters.flatMap(({ foundBy }) => foundBy ?? [])
  const end = await lookFor(bench, { folder, names }).catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  })
  if (!end)
    return new RunFault('source_errored', `The commit has no folder ${belowSource(folder)}.`)
  const { language, yaml } = starterFor(new Set(end.stdout.toString().split('\n')))
  const path = belowSource(`${folder}/${manifestPath}`)
  return new RunFault(
    'source_errored',
    `The commit has no ${path}. The log has one to begin with (${language}).`,
    { lines: yaml.trimEnd().split('\n'), level: 'info', missing: { path, language } },
  )
}

const belowSource = (path: string): string => path.slice(sourceFolder.length + 1)

const lookFor = async (
  bench: Workbench,
  { folder, names }: { folder: string; names: readonly string[] },
) =>
  bench.run({
    program: 'sh',
    args: ['-ec', 'for name; do if test -f "$name"; then echo "$name"; fi; done', 'sh', ...names],
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
