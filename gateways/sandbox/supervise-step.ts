import { once } from 'node:events'
import type { Readable } from 'node:stream'
import { constants } from 'node:os'
import type { LaunchedStep } from './launch.ts'
import { readLines } from './read-lines.ts'
import type { Step, StepEnd } from './workbench.ts'

export type Watch = {
  /** Set where the kernel does not hold the size of the work folder. */
  isOverQuota?: () => Promise<boolean>
  graceMs: number
}

/** Reads a started step to its end, and ends it when it is canceled or goes past a limit. */
export async function superviseStep(
  launched: LaunchedStep,
  step: Step,
  watch: Watch,
): Promise<StepEnd> {
  const { child } = launched
  let how: StepEnd['how'] | undefined
  let limit: StepEnd['limit']
  let grace: NodeJS.Timeout | undefined
  let lastOutputAt = performance.now()
  let reading = 0
  let failure: unknown
  let exited = false

  const interrupt = (reason: StepEnd['how']) => {
    if (how) return
    how = reason
    void launched.interrupt()
    grace = setTimeout(() => launched.kill(), watch.graceMs)
  }
  const kill = (reason: StepEnd['how'], over?: StepEnd['limit']) => {
    how ??= reason
    limit ??= over
    launched.kill()
  }
  const cancel = () => interrupt('canceled')

  /** Time in which our own reader was busy is no silence of the program. */
  const noted = async (work: () => void | Promise<void>) => {
    reading += 1
    try {
      await work()
    } finally {
      reading -= 1
      lastOutputAt = performance.now()
    }
  }
  const follow = (stream: 'stdout' | 'stderr') =>
    readLines(readable(child[stream]), (line) => noted(() => step.onLine?.(stream, line)))
  const chunks: Buffer[] = []
  const capture = async (maxBytes: number) => {
    let length = 0
    for await (const chunk of readable(child.stdout)) {
      // No encoding is set on the stream, so its chunks are buffers.
      const bytes = chunk as Buffer
      lastOutputAt = performance.now()
      length += bytes.length
      if (length <= maxBytes) chunks.push(bytes)
      else if (how !== 'too_much_output') kill('too_much_output')
    }
  }
  const guarded = (reader: Promise<void>) =>
    reader.catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ERR_STREAM_PREMATURE_CLOSE') return
      failure ??= error
      kill('killed')
    })
  const output = Promise.all([
    guarded(follow('stderr')),
    guarded(step.captureBytes === undefined ? follow('stdout') : capture(step.captureBytes)),
  ])

  const look = async () => {
    const quietMs = reading > 0 ? 0 : performance.now() - lastOutputAt
    // What a step leaves behind may hold its pipes open for ever.
    if (exited && quietMs > leftoverMs) {
      child.stdout?.destroy()
      child.stderr?.destroy()
    }
    if (exited) return
    if (quietMs > step.limits.silenceMs) interrupt('silent')
    if ((await launched.memoryBytes()) > step.limits.memoryBytes) kill('killed', 'memory')
    if (await watch.isOverQuota?.()) kill('killed', 'disk')
  }
  let looking = false
  const ticker = setInterval(() => {
    if (looking) return
    looking = true
    void look()
      .catch(() => {})
      .finally(() => (looking = false))
  }, lookEveryMs)
  const timeout = setTimeout(() => interrupt('timed_out'), step.limits.timeoutMs)
  step.signal?.addEventListener('abort', cancel, { once: true })
  if (step.signal?.aborted) cancel()

  // A program may end without reading its input.
  child.stdin?.on('error', () => {})
  child.stdin?.end(step.stdin ?? '')
  try {
    const [exitCode, signal] = await exitOf(launched)
    exited = true
    launched.kill()
    await output
    await launched.gone()
    if (failure) throw failure
    const died = signal ?? signalOf(exitCode)
    return {
      how: how ?? (died ? 'killed' : 'exited'),
      ...(limit ? { limit } : {}),
      exitCode,
      signal: died,
      stdout: Buffer.concat(chunks),
    }
  } finally {
    clearTimeout(timeout)
    clearTimeout(grace)
    clearInterval(ticker)
    step.signal?.removeEventListener('abort', cancel)
  }
}

const lookEveryMs = 250
const leftoverMs = 2000

async function exitOf({ child }: LaunchedStep): Promise<[number | null, NodeJS.Signals | null]> {
  // `error` stands for a program that could not be started at all; once() rejects with it.
  const [code, signal] = await once(child, 'exit')
  return [code as number | null, signal as NodeJS.Signals | null]
}

/** bwrap and shells report a program that died of signal n as exit code 128 + n. */
function signalOf(exitCode: number | null): string | null {
  if (exitCode === null || exitCode <= 128) return null
  const found = Object.entries(constants.signals).find(([, number]) => number === exitCode - 128)
  return found?.[0] ?? null
}

/** Steps are always started with pipes. */
function readable(stream: Readable | null): Readable {
  if (!stream) throw new Error('The step has no pipe')
  return stream
}
