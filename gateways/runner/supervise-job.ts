import { setTimeout as sleep } from 'node:timers/promises'
import { ChannelClosed } from './channel.ts'
import { BadFrame, FrameCut, type Frame, type Header } from './frames.ts'
import { JobFailure } from './job-failure.ts'
import {
  maxLogLineLength,
  maxLogLines,
  maxResultBytes,
  type Asks,
  type LogLine,
  type RunnerJob,
} from './protocol.ts'
import { isRunReason } from '../../domain/runs/run-state.ts'
import { isLogLevel } from '../../domain/runs/log-line.ts'
import type { Runner, RunnerEnd } from './start-runner.ts'

/** The runner ended before its job. */
export class RunnerLost extends Error {
  readonly how: RunnerEnd['how']
  constructor(how: RunnerEnd['how']) {
    super(how === 'memory_exceeded' ? 'the runner needed too much memory' : 'the runner was lost')
    this.how = how
  }
}

type Answers = {
  [What in keyof Asks]?: (ask: Asks[What]['ask']) => Promise<Asks[What]['answer']>
}

export type Supervision = {
  job: RunnerJob
  /** Sent after the job, in this order. */
  inputs: AsyncIterable<{ name: string; bytes: Buffer; last: boolean }>
  /** Interrupts the runner's step; one that does not end is killed. */
  signal: AbortSignal
  answers: Answers
  onLog(lines: LogLine[]): Promise<void>
  /** `header` says what goes with the bytes, where there is something. */
  onBlob(name: string, bytes: Buffer, header: Header): Promise<void>
  onProcessGroup?(processGroup: number): void
  /** Whether the runner is left alive once the job is done, for the next job of the same run. */
  keep?: boolean
  /** Whether the runner holds what would be lost with it, so that it is not ended for being late. */
  isSaving?(): boolean
  /** What an interrupted runner has for its end; 30 s unless said. */
  patienceMs?: number
}

/** How long a canceled step has to end, and then the rest of the job. */
const usualPatienceMs = 30_000

/**
 * Has a runner do a job and waits for its end. Each frame is handled before the next is read, so
 * that a store that is slow slows the runner and fills no memory here. A runner that breaks the
 * protocol is ended, as is one for which something failed here, and one that is not to be kept.
 */
export async function superviseJob(runner: Runner, supervision: Supervision): Promise<unknown> {
  const { channel } = runner
  const { signal, patienceMs = usualPatienceMs } = supervision
  const result = collectResult()
  const frames = channel.frames[Symbol.asyncIterator]()
  let kept = false
  let sent = false
  let late: NodeJS.Timeout | undefined
  const endLate = () => {
    if (supervision.isSaving?.()) late = setTimeout(endLate, patienceMs)
    else runner.kill()
  }
  const interrupt = () => {
    void channel.send({ kind: 'cancel' }).catch(() => undefined)
    late ??= setTimeout(endLate, patienceMs)
  }
  signal.addEventListener('abort', interrupt, { once: true })
  let failure: { error: unknown } | undefined
  const sending = sendInputs(runner, supervision).then(
    () => {
      sent = true
    },
    (error: unknown) => {
      // A closed channel shows in the frames, which end.
      if (!(error instanceof ChannelClosed)) failure ??= { error }
      runner.kill()
    },
  )
  if (signal.aborted) interrupt()
  try {
    for (;;) {
      // Not `for await`, whose end closes the channel.
      const { value: frame } = await frames.next()
      if (!frame) break
      if (frame.header.kind === 'done') {
        const value = result.read()
        // One that does not read what it is sent would hold this job, and its slot, for ever.
        kept = supervision.keep === true && sent
        return value
      }
      if (frame.header.kind === 'blob' && frame.header['name'] === 'result') result.add(frame.body)
      else await handle(runner, supervision, frame)
    }
    await endedByItself(runner)
  } catch (error) {
    if (isEndOfStream(error)) await endedByItself(runner)
    else failure ??= { error }
  } finally {
    clearTimeout(late)
    signal.removeEventListener('abort', interrupt)
    if (!kept) runner.kill()
    await sending
  }
  const { how } = await runner.ended
  throw failure ? failure.error : new RunnerLost(how)
}

/** Waits for the exit status: the pipe closes before the process ends, and must not count as our own kill. */
const endedByItself = async ({ ended }: Runner): Promise<unknown> =>
  Promise.race([ended, sleep(1_000, undefined, { ref: false })])

/** A job's result, small enough to be parsed at once. */
function collectResult() {
  const pieces: Buffer[] = []
  let length = 0
  return {
    add(piece: Buffer) {
      length += piece.length
      if (length > maxResultBytes) throw new BadFrame('A result is over its bound')
      // A copy: the frame's bytes are a part of more.
      pieces.push(Buffer.from(piece))
    },
    read(): unknown {
      try {
        return JSON.parse(Buffer.concat(pieces).toString())
      } catch {
        throw new BadFrame('A result is no JSON')
      }
    },
  }
}

async function sendInputs(runner: Runner, { job, inputs }: Supervision): Promise<void> {
  const { channel } = runner
  await channel.send({ kind: 'job', job })
  for await (const { name, bytes, last } of inputs) {
    await channel.sendPieces(name, bytes)
    if (last) await channel.send({ kind: 'blob_end', name })
  }
}

/** The process died; what it had not sent is lost. */
const isEndOfStream = (error: unknown): boolean =>
  error instanceof ChannelClosed ||
  error instanceof FrameCut ||
  (error instanceof Error && 'code' in error && endCodes.has(error.code))

const endCodes = new Set<unknown>(['ERR_STREAM_PREMATURE_CLOSE', 'ECONNRESET', 'EPIPE'])

async function handle(
  runner: Runner,
  supervision: Supervision,
  { header, body }: Frame,
): Promise<void> {
  switch (header.kind) {
    case 'ask':
      return answer(runner, supervision, header)
    case 'log':
      return supervision.onLog(readLines(header['lines']))
    case 'blob':
      return supervision.onBlob(text(header['name'], 30), body, header)
    case 'blob_end':
      return undefined
    case 'group':
      if (!Number.isSafeInteger(header['group'])) throw new BadFrame('A group is no number')
      return supervision.onProcessGroup?.(Number(header['group']))
    case 'failed':
      throw readFailure(header)
    case 'broken':
      throw new Error(
        `a runner broke: ${text(header['name'], 100)} ${text(header['code'], 100)} ${text(header['at'], 500)}`,
      )
    default:
      throw new BadFrame('A frame is of no known kind')
  }
}

async function answer(
  { channel }: Runner,
  { answers }: Supervision,
  header: Header,
): Promise<void> {
  const what = text(header['what'], 30)
  if (!Object.hasOwn(answers, what)) throw new BadFrame('A runner asks for what its job has not')
  // One of the names of `Asks`, by the line above. The handlers take the fields that they know.
  const give = answers[what as keyof Asks] as (ask: unknown) => Promise<object>
  const value = await give(header['ask'])
  await channel.send({ kind: 'answer', to: header['id'], value })
}

function readFailure({ reason, message }: Header): JobFailure {
  if (!isRunReason(reason)) throw new BadFrame('A failure has no known reason')
  return new JobFailure(reason, text(message, 1_000))
}

function readLines(lines: unknown): LogLine[] {
  if (!Array.isArray(lines) || lines.length > maxLogLines) throw new BadFrame('A log is no lines')
  return lines.map((entry: unknown) => {
    const { level, line } = (entry ?? {}) as Record<string, unknown>
    if (!isLogLevel(level) || typeof line !== 'string' || line.length > maxLogLineLength + 100)
      throw new BadFrame('A line of the log is over its bound')
    return { level, line }
  })
}

const text = (value: unknown, length: number): string =>
  typeof value === 'string' ? value.slice(0, length) : ''
