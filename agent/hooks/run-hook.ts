import { spawn, type ChildProcess } from 'node:child_process'
import { accessSync, constants as modes, realpathSync, statSync } from 'node:fs'
import { constants } from 'node:os'
import { join } from 'node:path'
import { messageOf } from '../faults.ts'
import type { HookState } from '../work/journal.ts'
import { endGroup, identify, signalGroup, type HookProcess } from './process-group.ts'

export type HookRun = {
  /** The release's folder; the hook's working folder too. */
  folder: string
  path: string
  env: Record<string, string>
  /** A file descriptor: what a hook prints goes to a file, so that it lives on if the agent is killed. */
  output: number
  timeoutMs: number
  signal: AbortSignal
  /** Made when the hook begins, and has its exit code when it ends: it is known if the agent is killed before. */
  exitFile: string
  /** Called before the first instruction of the hook. Notes the process durably. */
  onStart: (process: HookProcess) => void
  /** Called before the agent ends the hook. Notes durably that a later exit code is none of its own. */
  onCut: () => void
}

export type HookExit = {
  state: HookState
  exitCode: number | null
  why?: string
  /** Another try would end the same. */
  isFinal?: boolean
}

/**
 * Waits for a line, so that the agent can note the process before it does anything; an agent that is killed before
 * that sends none. Then it runs the hook, and writes by itself that it began and its exit code.
 */
const gate = `IFS= read -r go || exit 125
: >"$2"
"$1" </dev/null
code=$?
echo "$code" >"$2"
exit "$code"`

/** Runs a hook in a session and process group of its own, and ends the group at the limit or the signal. */
export async function runHook(run: HookRun): Promise<HookExit> {
  const fault = whyNotRunnable(run.folder, run.path)
  if (fault) return { state: 'failed', exitCode: null, why: fault, isFinal: true }
  const { folder, path, env, output, exitFile, timeoutMs, signal } = run
  if (signal.aborted) return { state: 'stopped', exitCode: null }
  const child = spawn(
    '/bin/sh',
    ['-c', gate, 'cloud-control-agent', join(folder, path), exitFile],
    {
      cwd: folder,
      env,
      detached: true,
      stdio: ['pipe', output, output],
    },
  )
  const ended = waitFor(child)
  const { pid } = child
  if (pid === undefined) return ended
  open(child, () => run.onStart(identify(pid) ?? { pid, startTicks: '', boot: '' }))

  let cut: HookState | undefined
  let ending: Promise<void> | undefined
  const end = (state: HookState) => {
    cut ??= state
    if (!ending) run.onCut()
    ending ??= endGroup(pid)
  }
  const timer = setTimeout(() => end('timed_out'), timeoutMs)
  const onAbort = () => end('stopped')
  signal.addEventListener('abort', onAbort, { once: true })
  try {
    const exit = await ended
    await ending
    // A failed hook leaves nothing running; one that succeeded may have started a server.
    if (exit.state === 'failed' && cut === undefined) signalGroup(pid, 'SIGKILL')
    return cut === undefined ? exit : { ...exit, state: cut }
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', onAbort)
  }
}

/** Lets the hook begin, once it is noted. */
function open(child: ChildProcess, note: () => void): void {
  // The process may be gone already.
  child.stdin?.on('error', () => undefined)
  try {
    note()
    child.stdin?.end('go\n')
  } catch (error) {
    child.stdin?.destroy()
    throw error
  }
}

async function waitFor(child: ChildProcess): Promise<HookExit> {
  return new Promise((resolve) => {
    child.once('error', (error) =>
      resolve({
        state: 'failed',
        exitCode: null,
        why: `it could not be started: ${messageOf(error)}`,
      }),
    )
    // Not `close`: a server that the hook started keeps the output open.
    child.once('exit', (code, signal) =>
      resolve({
        state: code === 0 ? 'succeeded' : 'failed',
        exitCode: code,
        ...whyOf(signal ?? signalOf(code)),
      }),
    )
  })
}

const whyOf = (signal: string | undefined) =>
  signal === undefined ? {} : { why: `was ended by ${signal}` }

/** The shell says 128 and the number of the signal that ended the hook. */
function signalOf(code: number | null): string | undefined {
  return Object.entries(constants.signals).find(([, number]) => 128 + number === code)?.[0]
}

/** A hook is a file of the release that may be executed; a link to it may not lead elsewhere. */
function whyNotRunnable(folder: string, path: string): string | undefined {
  try {
    const real = realpathSync(join(folder, path))
    if (!real.startsWith(`${realpathSync(folder)}/`)) return 'it is outside of the release'
    if (!statSync(real).isFile()) return 'it is no file'
    accessSync(real, modes.X_OK)
    return undefined
  } catch {
    return 'the release has no such file that may be executed'
  }
}
