import { unavailable } from '../../domain/errors.ts'
import type { Benches, StepEnd } from '../sandbox/workbench.ts'

export type FormatFault = { line: number; message: string }
export type Formatted = { ok: true; text: string } | { ok: false; faults: FormatFault[] }

/** 292 KB of blocks take 0.5 s of CPU. 600 KB of one body took longer than the time limit. */
export const maxFormattedBytes = 256 * 1_024
const limits = {
  timeoutMs: 10_000,
  // OpenTofu says nothing until it is done.
  silenceMs: 10_000,
  memoryBytes: 512 * 1_048_576,
  processes: 64,
  fileSizeBytes: 1_048_576,
}
const folder = 'fmt'
const maxFaults = 20
const maxLineLength = 500

/**
 * The text of one file as `tofu fmt` writes it. The text comes from a person who may run plans, and still the
 * program that reads it has a sandbox of its own: no files, no network, bounded time and memory.
 */
export async function formatText(sandbox: Benches, text: string): Promise<Formatted> {
  const bench = await sandbox.open({ label: 'format', sizeBytes: 16 * 1_048_576 })
  const said: string[] = []
  try {
    await bench.makeFolder(folder)
    const end = await bench.run({
      program: 'tofu',
      args: ['fmt', '-no-color', '-'],
      env: {
        CHECKPOINT_DISABLE: '1',
        TF_IN_AUTOMATION: '1',
        GOMEMLIMIT: '384MiB',
        GOMAXPROCS: '2',
        HOME: bench.inside(folder),
        PATH: '/usr/bin:/bin',
        TMPDIR: '/tmp',
      },
      cwd: folder,
      readOnly: [folder],
      network: 'none',
      limits,
      stdin: text,
      // Aligned and indented, a text grows; never without bound.
      captureBytes: maxFormattedBytes * 8,
      onLine: (stream, line) => {
        if (stream === 'stderr' && said.length < maxFaults * 20) said.push(line)
      },
    })
    return outcomeOf(end, said)
  } finally {
    await bench.close()
  }
}

function outcomeOf({ how, exitCode, stdout }: StepEnd, said: readonly string[]): Formatted {
  if (how === 'exited' && exitCode === 0) return { ok: true, text: stdout.toString() }
  const faults = faultsIn(said)
  if (faults.length > 0) return { ok: false, faults }
  if (how !== 'exited' && how !== 'canceled')
    return { ok: false, faults: [{ line: 1, message: 'It takes too much time or memory' }] }
  throw unavailable('formatter_unavailable', 'The file could not be formatted. Try again.')
}

/** Of OpenTofu's plain diagnostics: `Error: …`, and below it `on <stdin> line 3…`. */
function faultsIn(lines: readonly string[]): FormatFault[] {
  const faults: FormatFault[] = []
  let message: string | undefined
  for (const raw of lines) {
    const line = raw.replace(/^[│╷╵\s]+/, '')
    const [, summary] = /^Error: (.*)$/.exec(line) ?? []
    const [, number] = /^on .+ line (\d+)/.exec(line) ?? []
    if (summary !== undefined) message = summary.slice(0, maxLineLength)
    else if (number !== undefined && message !== undefined && faults.length < maxFaults) {
      faults.push({ line: Number(number), message })
      message = undefined
    }
  }
  return faults
}
