import { createReadStream } from 'node:fs'
import { open, rm } from 'node:fs/promises'
import { conflict } from '../../domain/errors.ts'
import { limitOfStep } from '../sandbox/limit-of-step.ts'
import type { Step, Workbench } from '../sandbox/workbench.ts'

export const sbomFormats = ['spdx', 'cyclonedx'] as const
export type SbomFormat = (typeof sbomFormats)[number]

/** The name that the documents give what they describe, and its version. */
export type Described = { name: string; version: string }

/** Of one document. */
export const maxSbomBytes = 32 * 1024 ** 2
const memoryBytes = 1024 ** 3
const timeoutMs = 5 * 60_000

const outputs: Record<SbomFormat, { format: string; isOne: RegExp }> = {
  spdx: { format: 'spdx-json@2.3', isOne: /"spdxVersion"\s*:\s*"SPDX-2\.3"/ },
  cyclonedx: { format: 'cyclonedx-json@1.6', isOne: /"specVersion"\s*:\s*"1\.6"/ },
}

/**
 * Lists what an archive is made of, by Syft, in the sandbox and without a network: the archive is of
 * whoever may push, and so is what Syft reads. Each document is handed over as a file of the host's.
 */
export async function describeArtifact(
  bench: Workbench,
  { archive, described, hostPath, signal }: DescribeOptions,
  use: (format: SbomFormat, bytes: AsyncIterable<Buffer>) => Promise<void>,
): Promise<void> {
  const run = async (step: Pick<Step, 'program' | 'args' | 'env'>) =>
    runStep(bench, { ...step, ...(signal && { signal }) })
  await bench.makeFolder('unpacked')
  await bench.makeFolder('sbom')
  await bench.makeFolder('tmp')
  await bench.place('artifact.tar.zst', archive)
  await run({
    program: 'sh',
    args: ['-ec', unpack],
    env: { PATH: '/usr/bin:/bin', LC_ALL: 'C' },
  })
  await run({
    program: 'syft',
    args: [
      'scan',
      `dir:${bench.inside('unpacked')}`,
      '--quiet',
      `--source-name=${described.name}`,
      `--source-version=${described.version}`,
      ...sbomFormats.flatMap((one) => [
        '--output',
        `${outputs[one].format}=${bench.inside(`sbom/${one}.json`)}`,
      ]),
    ],
    env: {
      PATH: '/usr/bin:/bin',
      HOME: bench.inside('tmp'),
      TMPDIR: bench.inside('tmp'),
      SYFT_CHECK_FOR_APP_UPDATE: 'false',
      SYFT_PARALLELISM: '2',
      GOMEMLIMIT: `${Math.floor(memoryBytes * 0.7)}`,
    },
  })
  for (const one of sbomFormats) {
    try {
      await bench.takeOut(`sbom/${one}.json`, hostPath)
      await assertDocument(hostPath, one)
      await use(one, createReadStream(hostPath))
    } finally {
      await rm(hostPath, { force: true })
    }
  }
}

export type DescribeOptions = {
  /** Path of the host. */
  archive: string
  described: Described
  /** Path of the host for a document on its way to the store; removed afterwards. */
  hostPath: string
  signal?: AbortSignal
}

const unpack = `
zstd -q -dc < artifact.tar.zst | tar --extract --file=- --directory=unpacked --no-same-owner --no-same-permissions
rm -f artifact.tar.zst`

async function runStep(
  bench: Workbench,
  step: Pick<Step, 'program' | 'args' | 'env' | 'signal'>,
): Promise<void> {
  const end = await bench.run({
    ...step,
    cwd: '.',
    network: 'none',
    limits: {
      timeoutMs,
      silenceMs: timeoutMs,
      memoryBytes,
      // Of Go's runtime.
      reservedBytes: 512 * 1024 ** 2,
      processes: 128,
      fileSizeBytes: step.program === 'syft' ? maxSbomBytes : 8 * 1024 ** 3,
    },
    captureBytes: 64 * 1_024,
  })
  if (end.how === 'exited' && end.exitCode === 0) return
  const why = limitOfStep(end) ?? `it ended with ${end.exitCode ?? end.signal ?? end.how}`
  throw conflict('not_described', `${step.program === 'syft' ? 'Syft' : 'The unpacking'}: ${why}.`)
}

/** By its beginning: a whole document would be parsed in the worker's event loop. */
async function assertDocument(path: string, format: SbomFormat): Promise<void> {
  const file = await open(path)
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(4_096), 0, 4_096, 0)
    if (!outputs[format].isOne.test(buffer.toString('utf8', 0, bytesRead)))
      throw conflict('not_described', `Syft wrote another document than ${outputs[format].format}.`)
  } finally {
    await file.close()
  }
}
