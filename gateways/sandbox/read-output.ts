import type { Readable } from 'node:stream'
import type { LaunchedStep } from './launch.ts'
import { readLines } from './read-lines.ts'
import type { StepEnding } from './step-ending.ts'
import type { Step } from './workbench.ts'

export type StepOutput = {
  /** Settles when both streams are read; rejects with what `onLine` threw. */
  readonly done: Promise<void>
  /** How long the step has been silent, without the time in which `onLine` was busy. */
  quietMs(): number
  captured(): { stdout: Buffer; stdoutBytes: number }
  /** Stops reading: a leftover process may hold the pipes open for ever. */
  abandon(): void
}

/** Reads both streams of a step: as lines, or stdout as a whole if it is captured. */
export function readOutput(launched: LaunchedStep, step: Step, ending: StepEnding): StepOutput {
  const { stdout, stderr } = launched
  const chunks: Buffer[] = []
  let lastOutputAt = performance.now()
  let busy = 0
  let failure: unknown

  const follow = (stream: 'stdout' | 'stderr', source: Readable) =>
    readLines(source, async (line) => {
      busy += 1
      try {
        await step.onLine?.(stream, line)
      } finally {
        busy -= 1
        lastOutputAt = performance.now()
      }
    })
  let length = 0
  const capture = async (maxBytes: number) => {
    for await (const chunk of stdout) {
      // No encoding is set on the stream, so its chunks are buffers.
      const bytes = chunk as Buffer
      lastOutputAt = performance.now()
      length += bytes.length
      if (length <= maxBytes) chunks.push(bytes)
      else {
        chunks.length = 0
        ending.note('too_much_output')
        if (length > (step.countBytes ?? 0)) ending.kill('too_much_output')
      }
    }
  }
  const guarded = (reader: Promise<void>) =>
    reader.catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ERR_STREAM_PREMATURE_CLOSE') return
      failure ??= error
      ending.kill('killed')
    })
  const readers = [
    guarded(follow('stderr', stderr)),
    guarded(
      step.captureBytes === undefined ? follow('stdout', stdout) : capture(step.captureBytes),
    ),
  ]

  return {
    done: Promise.all(readers).then(() => {
      if (failure) throw failure
    }),
    quietMs: () => (busy > 0 ? 0 : performance.now() - lastOutputAt),
    captured: () => ({ stdout: Buffer.concat(chunks), stdoutBytes: length }),
    abandon() {
      stdout.destroy()
      stderr.destroy()
    },
  }
}
