import { stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { Logger } from 'pino'
import type { CloudProvider } from '../../domain/clouds/cloud-account.ts'
import { conflict, unavailable } from '../../domain/errors.ts'
import type { Benches, StepEnd, Workbench } from '../sandbox/workbench.ts'
import type { BillError, ProgramAnswer, ProgramRequest } from './program/protocol.ts'
import { readAnswer } from './read-answer.ts'

export type ReadRequest = {
  /** `path` is ours, `key` what the bill's owner knows it by. */
  files: readonly { path: string; key: string }[]
  tagAliases: Readonly<Record<string, readonly string[]>>
  /** Of lines that name no provider: that of the account. */
  provider?: CloudProvider
  /** A folder of the worker's own, which the files for COPY are put in. */
  outFolder: string
  limits: Pick<ReadLimits, 'bytes'> & Partial<ReadLimits>
  signal?: AbortSignal
  /** Called every two seconds while it reads. */
  beat?: () => void
}

export type ReadLimits = {
  /** Of the files together, as they were fetched: the operator's CC_BILL_GIBIBYTES. */
  bytes: number
  /** Of one file, unpacked; a gzip file is unpacked to the disk. */
  unpackedBytes: number
  memoryBytes: number
  /** Of the disk, beside the files. */
  scratchBytes: number
  timeoutMs: number
}

const gibibyte = 1024 ** 3
const usualLimits: Omit<ReadLimits, 'bytes'> = {
  // What DuckDB spills lies beside it.
  unpackedBytes: 48 * gibibyte,
  memoryBytes: gibibyte,
  scratchBytes: 64 * gibibyte,
  timeoutMs: 60 * 60_000,
}

export type ReadHost = { benches: Benches; entry: string; log: Pick<Logger, 'warn'> }

/** Reads the files of a bill in a workbench of the sandbox. What is wrong with the bill is an answer, not an error. */
export async function readBills(host: ReadHost, request: ReadRequest): Promise<ProgramAnswer> {
  const limits = { ...usualLimits, ...request.limits }
  const sizes = await Promise.all(request.files.map(async ({ path }) => (await stat(path)).size))
  const bytes = sizes.reduce((sum, size) => sum + size, 0)
  const largest = request.files[sizes.indexOf(Math.max(...sizes))]
  if (!largest) throw new Error('A bill has a file')
  if (bytes > limits.bytes)
    return refused({
      file: largest.key,
      message: `The files are ${mebibytes(bytes)} together, more than the ${mebibytes(limits.bytes)} that are read at once`,
    })

  const bench = await host.benches.open({
    label: 'bill',
    sizeBytes: bytes + limits.scratchBytes,
  })
  const beating = setInterval(() => request.beat?.(), 2_000)
  try {
    return await readIn(bench, host, { ...request, limits })
  } finally {
    clearInterval(beating)
    await bench.close()
  }
}

type Read = ReadRequest & { limits: ReadLimits }

async function readIn(bench: Workbench, host: ReadHost, request: Read): Promise<ProgramAnswer> {
  for (const folder of ['in', 'out', 'scratch']) await bench.makeFolder(folder)
  const files: { path: string; key: string }[] = []
  for (const [index, { path, key }] of request.files.entries()) {
    await bench.place(`in/${index}`, path)
    files.push({ path: bench.inside(`in/${index}`), key })
  }
  const lines: string[] = []
  const end = await bench.run({
    program: 'node',
    args: ['--max-old-space-size=128', '--disallow-code-generation-from-strings', host.entry],
    // DuckDB, zlib and the files each hold a thread of Node's pool.
    env: { PATH: '/usr/bin:/bin', UV_THREADPOOL_SIZE: '8', ...givesMemoryBack },
    cwd: '.',
    readOnly: ['in'],
    network: 'none',
    limits: {
      timeoutMs: request.limits.timeoutMs,
      // It prints nothing while a file is read.
      silenceMs: request.limits.timeoutMs,
      memoryBytes: request.limits.memoryBytes,
      reservedBytes: reservedByNode,
      processes: 64,
      fileSizeBytes: request.limits.scratchBytes,
    },
    captureBytes: 4 * 1024 ** 2,
    stdin: JSON.stringify(programRequest(bench, files, request)),
    ...(request.signal ? { signal: request.signal } : {}),
    onLine(_stream, line) {
      if (lines.push(line.slice(0, 500)) > 50) lines.shift()
    },
  })
  if (end.how === 'canceled') throw request.signal?.reason ?? new Error('The reading was canceled')
  if (end.how !== 'exited' || end.exitCode !== 0) return explainEnd(host, request, { end, lines })
  const answer = readAnswer(end.stdout)
  if (answer.kind === 'disk_full')
    throw conflict('bill_disk_full', 'The disk of the worker is full.')
  if (answer.kind === 'refused') return answer
  for (const slice of answer.slices) {
    const path = join(request.outFolder, basename(slice.path))
    await bench.takeOut(`out/${slice.period}.csv`, path)
    slice.path = path
  }
  return answer
}

/**
 * DuckDB's allocator gives what it freed back to the kernel. By default it keeps the addresses, which count towards
 * RLIMIT_DATA: those of a CSV of 10 million lines were 2.3 GB where 0.8 GB were used.
 */
const givesMemoryBack = {
  DUCKDB_JE_MALLOC_CONF: 'retain:false,dirty_decay_ms:200,muzzy_decay_ms:0',
}

/** Node reserves some 600 MiB before a file is opened, most of it for V8 and the stacks of threads. */
const reservedByNode = 0.75 * gibibyte

/** Of its memory; the rest is Node, the libraries, and what DuckDB does not count. */
const databaseShare = 0.5

const programRequest = (
  bench: Workbench,
  files: ProgramRequest['files'],
  { limits, tagAliases, provider }: Read,
): ProgramRequest => ({
  files,
  tagAliases,
  provider: provider ?? null,
  outFolder: bench.inside('out'),
  scratchFolder: bench.inside('scratch'),
  memoryBytes: Math.floor(limits.memoryBytes * databaseShare),
  scratchBytes: limits.scratchBytes,
  unpackedBytes: limits.unpackedBytes,
})

/** The program did not answer: says at which file, and by which limit. */
function explainEnd(
  { log }: ReadHost,
  request: Read,
  { end, lines }: { end: StepEnd; lines: string[] },
): ProgramAnswer {
  const index = Number(
    /^reading (\d+)$/.exec(lines.findLast((line) => /^reading \d+$/.test(line)) ?? '')?.[1],
  )
  const file = (request.files[index] ?? request.files[0])?.key ?? ''
  const fields = {
    file,
    how: end.how,
    exitCode: end.exitCode,
    signal: end.signal,
    limit: end.limit,
  }
  log.warn({ ...fields, lines: lines.slice(-8) }, 'the reader of a bill ended without an answer')
  if (end.ofHost) throw readerLost()
  if (end.limit === 'memory')
    return refused({ file, message: 'The bill needs more memory to be read than its reader has' })
  if (end.limit === 'disk')
    return refused({ file, message: 'The bill needs more room on the disk than its reader has' })
  if (end.how === 'timed_out')
    return refused({
      file,
      message: `The bill takes longer to be read than ${Math.ceil(request.limits.timeoutMs / 60_000)} minutes`,
    })
  // Killed by none of ours.
  if (end.signal === 'SIGKILL') throw readerLost()
  return refused({
    file,
    message: 'The file is damaged, or needs more memory to be read than its reader has',
  })
}

/** By an operator, or by a host that is out of memory. It may go well elsewhere. */
const readerLost = () =>
  unavailable('reader_lost', 'The reader of bills was killed; it is started again')

const refused = (error: Pick<BillError, 'file' | 'message'>): ProgramAnswer => ({
  kind: 'refused',
  rejected: 1,
  errors: [{ row: null, column: null, ...error }],
})

const mebibytes = (bytes: number): string => `${Math.ceil(bytes / 1024 ** 2)} MiB`
