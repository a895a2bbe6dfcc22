import { spawn } from 'node:child_process'
import { setPriority } from 'node:os'

export type ProgramOptions = {
  arguments?: readonly string[]
  cwd?: string
  env?: NodeJS.ProcessEnv
  timeoutMs: number
  /** Leaves the processors to whatever the machine is there for. */
  lowPriority?: boolean
  owner?: { uid: number; gid: number }
  signal?: AbortSignal | undefined
}

const keptCharacters = 8_000

/** Runs a program to its end and gives what it printed; a non-zero end or a timeout throws with the last of it. */
export async function runProgram(program: string, options: ProgramOptions): Promise<string> {
  const child = spawn(program, options.arguments ?? [], {
    stdio: ['ignore', 'pipe', 'pipe'],
    // A group of its own, so that a timeout ends a compiler's children too.
    detached: true,
    env: options.env ?? process.env,
    ...(options.cwd && { cwd: options.cwd }),
    ...options.owner,
  })
  let output = ''
  const keep = (chunk: string) => {
    output = (output + chunk).slice(-keptCharacters)
  }
  child.stdout.setEncoding('utf8').on('data', keep)
  child.stderr.setEncoding('utf8').on('data', keep)
  if (options.lowPriority && child.pid) lowerPriority(child.pid)

  let stopped = ''
  const stop = (why: string) => {
    stopped = why
    if (child.pid) killGroup(child.pid)
  }
  const timer = setTimeout(() => stop(`took more than ${options.timeoutMs} ms`), options.timeoutMs)
  const onAbort = () => stop('was stopped')
  options.signal?.addEventListener('abort', onAbort, { once: true })
  // The supervisor may be leaving while a compiler runs.
  const onExit = () => child.pid && killGroup(child.pid)
  process.once('exit', onExit)
  try {
    const code = await new Promise<number | string>((resolve, reject) => {
      child.once('error', reject)
      child.once('close', (code, signal) => resolve(code ?? signal ?? 'nothing'))
      if (options.signal?.aborted) onAbort()
    })
    if (stopped) throw new Error(`${program} ${stopped}${tail(output)}`)
    if (code !== 0) throw new Error(`${program} ended with ${code}${tail(output)}`)
    return output
  } finally {
    clearTimeout(timer)
    options.signal?.removeEventListener('abort', onAbort)
    process.removeListener('exit', onExit)
  }
}

function tail(output: string): string {
  const text = output.trim().slice(-1_500)
  return text ? `: ${text}` : ''
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // It has ended already.
  }
}

function lowerPriority(pid: number): void {
  try {
    setPriority(pid, 10)
  } catch {
    // It has ended already, or the host does not allow it: then it builds at full speed.
  }
}
