import { spawn } from 'node:child_process'
import { setPriority } from 'node:os'

export type ProgramOptions = {
  arguments?: readonly string[]
  cwd?: string
  env?: NodeJS.ProcessEnv
  timeoutMs: number
  /** Runs at nice 10, so that a build does not slow down other programs. */
  lowPriority?: boolean
  owner?: { uid: number; gid: number }
  signal?: AbortSignal | undefined
}

const keptCharacters = 8_000

/** Runs a program and returns the end of its output. A non-zero exit or a timeout throws an error with that. */
export async function runProgram(program: string, options: ProgramOptions): Promise<string> {
  const child = spawn(program, options.arguments ?? [], {
    stdio: ['ignore', 'pipe', 'pipe'],
    // In its own process group, so that a timeout also ends the children of a compiler.
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
  // Ends the program with the supervisor.
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
    // The group has already ended.
  }
}

function lowerPriority(pid: number): void {
  try {
    setPriority(pid, 10)
  } catch {
    // The program has already ended, or the host does not allow it. Then it runs at normal priority.
  }
}
