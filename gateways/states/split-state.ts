import { fileURLToPath } from 'node:url'
import { AppError, invalid, unavailable } from '../../domain/errors.ts'
import {
  splitState,
  type HeldMark,
  type SplitOptions,
  type StateHeader,
  type StatePart,
} from '../../domain/workspaces/split-state.ts'
import { maxBodyBytes, type Frame } from '../runner/frames.ts'
import { endProcess, keptProcesses, type KeptProcess } from '../runner/kept-processes.ts'
import { createTurns } from '../runner/turns.ts'

const splitters = keptProcesses({
  entry: fileURLToPath(new URL('split-state-process.ts', import.meta.url)),
  memoryBytes: 1_536 * 1_048_576,
})
/** After a larger state its process is ended: what is left of that would count as the next one's memory. */
const keepUpToBytes = 1_048_576

/** About 50,000 resources; OpenTofu itself becomes slow long before. */
export const maxStateBytes = 64 * 1_048_576

/** A state as `use` gets it. Its parts can be read once, as they come. */
export type IncomingState = { header: StateHeader; held: HeldMark; parts: AsyncIterable<StatePart> }

export type StateSource = { organizationId: number; bytes: AsyncIterable<Buffer> }

/**
 * Reads a state and passes it on in parts. A small one is split here. A larger one is split in a process of its
 * own: here it would block the event loop for seconds and take ten times its size. Neither its bytes nor its rows
 * are ever all in this process.
 */
export async function withSplitState<T>(
  { organizationId, bytes }: StateSource,
  options: SplitOptions,
  use: (state: IncomingState) => Promise<T>,
): Promise<T> {
  const source = bounded(bytes)[Symbol.asyncIterator]()
  const { head, ended } = await readHead(source)
  if (ended) {
    const here = splitState(Buffer.concat(head), { ...options, maxResourceBytes: maxHereRowBytes })
    // A few bytes of names can expand to thousands of long rows. Those are split in a process too.
    if (here.header.omittedResources === 0 && here.held.omitted === 0)
      return use({ ...here, parts: asyncOf(here.parts) })
  }
  const all = (async function* () {
    yield* head
    if (!ended) for await (const piece of { [Symbol.asyncIterator]: () => source }) yield piece
  })()
  const leave = await receiving.take(organizationId)
  try {
    return await splitOutside({ organizationId, bytes: all }, options, use)
  } finally {
    leave()
    await source.return?.(undefined)
  }
}

/**
 * While a state arrives, its process holds its bytes alone. Slow senders wait in these places, and not in those for
 * parsing, of which each may take a gigabyte; otherwise three slow senders would block all others.
 */
const receiving = createTurns({ atOnce: 15, ofOrganization: 3, waiting: 20 })
const parsing = createTurns({ atOnce: 3, ofOrganization: 1, waiting: 20 })

/** The largest state that is parsed in this process: some milliseconds at worst. */
const maxHereBytes = 64 * 1_024
const maxHereRowBytes = 256 * 1_024
/** Both for the sending of the state by its client and for its reading. */
const patienceMs = 300_000

/** What a process has said: the state's header, and that nothing follows. */
type Answered = { isState: boolean; isOver: boolean }

async function splitOutside<T>(
  { organizationId, bytes }: StateSource,
  options: SplitOptions,
  use: (state: IncomingState) => Promise<T>,
): Promise<T> {
  const splitter = await splitters.take(organizationId)
  const { runner, frames } = splitter
  const timer = setTimeout(() => runner.kill(), patienceMs)
  const { channel } = runner
  const answered: Answered = { isState: false, isOver: false }
  let length = 0
  let failed: unknown
  let leave: (() => void) | undefined
  const sending = (async () => {
    const { secrets = [], ...rest } = options
    await channel.send({ kind: 'options', ...rest })
    // Each is shorter than a body may be (domain/workspaces/variable-bounds.ts).
    for (const secret of secrets) await channel.send({ kind: 'secret' }, Buffer.from(secret))
    for await (const piece of bytes) {
      length += piece.length
      for (let at = 0; at < piece.length; at += maxBodyBytes)
        await channel.send({ kind: 'piece' }, piece.subarray(at, at + maxBodyBytes))
    }
    leave = await parsing.take(organizationId)
    await channel.send({ kind: 'end' })
  })().catch((error: unknown) => {
    failed = error
    runner.kill()
  })
  try {
    const first = await frames.next().catch(() => undefined)
    if (!first || first.done) {
      if (failed !== undefined) throw failed
      throw await whyGone(runner.ended)
    }
    answered.isOver = first.value.header.kind === 'refused'
    const state = stateIn(first.value)
    answered.isState = true
    await sending
    return await use({ ...state, parts: partsOf(frames, answered) })
  } finally {
    const mayStay = length <= keepUpToBytes && (answered.isState || answered.isOver)
    if (!mayStay) endProcess(splitter)
    await sending
    leave?.()
    if (answered.isOver && mayStay) splitters.keep(organizationId, splitter)
    else if (mayStay) splitters.keep(organizationId, splitter, readRest(splitter, answered))
    clearTimeout(timer)
  }
}

const restMs = 10_000

/**
 * Some states have parts that nobody reads: those of one that was refused by its header, or held resources that are
 * known. Its process can split the next one after them. Resolves to whether they ended. Never rejects.
 */
async function readRest(splitter: KeptProcess, answered: Answered): Promise<boolean> {
  const tooLong = setTimeout(() => splitter.runner.kill(), restMs)
  try {
    for await (const _ of partsOf(splitter.frames, answered));
    return true
  } catch {
    endProcess(splitter)
    return false
  } finally {
    clearTimeout(tooLong)
  }
}

async function whyGone(ended: Promise<{ how: string }>): Promise<AppError> {
  const { how } = await ended
  return how === 'memory_exceeded'
    ? new AppError('too_large', 'The state needs more memory to be read than one may take.', {
        code: 'body_too_large',
      })
    : unavailable('state_unreadable', 'The state could not be read. Send it again.')
}

function stateIn({ header }: Frame): Omit<IncomingState, 'parts'> {
  if (header.kind === 'refused')
    throw invalid(String(header['message']), undefined, String(header['code']))
  // Written by split-state-process.ts, in this shape.
  return { header: header['state'] as StateHeader, held: header['held'] as HeldMark }
}

async function* partsOf(
  frames: AsyncIterator<Frame>,
  answered: Answered,
): AsyncGenerator<StatePart> {
  for (;;) {
    const next = await frames.next()
    if (next.done) throw new Error('the process that splits a state ended early')
    const { header, body } = next.value
    if (header.kind === 'end') {
      answered.isOver = true
      return
    }
    // Written by split-state-process.ts, in this shape.
    const { kind, firstSeq, lastSeq } = header as unknown as StatePart
    yield { kind, firstSeq, lastSeq, bytes: body }
  }
}

async function readHead(
  source: AsyncIterator<Buffer>,
): Promise<{ head: Buffer[]; ended: boolean }> {
  const head: Buffer[] = []
  for (let size = 0; size <= maxHereBytes;) {
    const { value, done } = await source.next()
    if (done) return { head, ended: true }
    head.push(value)
    size += value.length
  }
  return { head, ended: false }
}

async function* bounded(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let size = 0
  for await (const piece of bytes) {
    size += piece.length
    if (size > maxStateBytes)
      throw new AppError('too_large', 'The state is larger than 64 MiB.', {
        code: 'body_too_large',
      })
    yield piece
  }
}

async function* asyncOf<T>(items: Iterable<T>): AsyncGenerator<T> {
  yield* items
}
