import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { joinCpuGroup, openCpuGroup } from '../gateways/sandbox/cpu-group.ts'
import type { LogFile } from './log-file.ts'
import { removePidFile, writePidFile } from './pid-file.ts'
import type { PartOptions } from './part-options.ts'

/** One process of a part, in a process group of its own. */
export type PartProcess = {
  readonly pid: number | undefined
  /** Of a spare process: it waits for nothing but its turn. */
  readonly isPrepared: boolean
  /** Why it ended: its code, its signal, or why it could not be started. */
  readonly ended: Promise<string>
  /** Tells a spare process to take over. */
  begin(): void
  /** Sends its stop signal, then SIGKILL. Resolves once it and the children that it left have ended. */
  end(): Promise<void>
  /** Sends SIGKILL to its group. */
  kill(): void
}

/**
 * With `spare`, its last argument is `--spare`: it prepares itself, writes to descriptor 3, and begins once its standard
 * input has a line. Until then it has little of a busy processor. One that is not prepared in time is ended.
 */
export function startProcess(
  options: PartOptions,
  log: LogFile,
  { spare = false }: { spare?: boolean } = {},
): PartProcess {
  const { leash, stopSignal } = options
  const runDir = join(options.dataDir, 'run')
  const child = spawn(options.program, [...options.arguments, ...(spare ? ['--spare'] : [])], {
    stdio: spare ? ['pipe', 'pipe', 'pipe', 'pipe'] : ['ignore', 'pipe', 'pipe'],
    env: options.env,
    // In its own process group: Ctrl-C must reach the supervisor alone, which stops the parts in order.
    detached: true,
    ...(options.cwd && { cwd: options.cwd }),
    ...options.owner,
  })
  child.stdout?.on('data', (chunk: Buffer) => log.write(chunk))
  child.stderr?.on('data', (chunk: Buffer) => log.write(chunk))
  // A spare process may have ended.
  child.stdin?.on('error', () => undefined)
  let isPrepared = false
  child.stdio[3]?.once('data', () => (isPrepared = true)).on('error', () => undefined)
  const { pid } = child
  const pidFile = spare ? `${options.name}-${pid}` : options.name
  const joinGroup = (of: 'answers' | 'runs') => {
    const group = options.answers ? openCpuGroup(of) : undefined
    if (group !== undefined && pid) void joinCpuGroup(group, pid)
  }
  if (pid) {
    joinGroup(spare ? 'runs' : 'answers')
    leash.hold(pid, stopSignal)
    try {
      writePidFile(runDir, pidFile, { pid, stopSignal })
    } catch (error) {
      killGroup(pid)
      throw error
    }
  }
  const kill = () => {
    if (pid) killGroup(pid)
  }
  const late = spare
    ? setTimeout(() => isPrepared || begun || kill(), options.readyTimeoutMs)
    : undefined
  const exited = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(error.message))
    child.once('exit', (code, signal) => resolve(signal ?? `code ${code}`))
  })
  let over = false
  let begun = false
  const ended = exited.then((why) => {
    over = true
    clearTimeout(late)
    if (pid) {
      leash.release(pid)
      try {
        removePidFile(runDir, pidFile)
      } catch {
        // The next start finds that no process has its number and start time.
      }
    }
    return why
  })
  return {
    get pid() {
      return over ? undefined : pid
    },
    get isPrepared() {
      return isPrepared && !over
    },
    ended,
    begin() {
      begun = true
      joinGroup('answers')
      child.stdin?.end('begin\n')
    },
    async end() {
      if (over || !pid) return
      child.kill(stopSignal)
      const timer = setTimeout(kill, options.stopTimeoutMs)
      await ended
      clearTimeout(timer)
      kill()
    },
    // The number of a process that has ended may be another's.
    kill: () => over || kill(),
  }
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // The group has already ended.
  }
}
