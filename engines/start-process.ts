import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { joinCpuGroup, openCpuGroup } from '../gateways/sandbox/cpu-group.ts'
import type { LogFile } from './log-file.ts'
import { removePidFile, writePidFile } from './pid-file.ts'
import type { PartOptions } from './part-options.ts'

/** One process of a part, in a process group of its own. */
export type PartProcess = {
  readonly pid: number | undefined
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
 * With `spare`, its last argument is `--spare`: it prepares itself and begins once its standard input has a line. Until
 * then it has little of a busy processor.
 */
export function startProcess(
  options: PartOptions,
  log: LogFile,
  { spare = false }: { spare?: boolean } = {},
): PartProcess {
  const { leash, stopSignal } = options
  const runDir = join(options.dataDir, 'run')
  const child = spawn(options.program, [...options.arguments, ...(spare ? ['--spare'] : [])], {
    stdio: [spare ? 'pipe' : 'ignore', 'pipe', 'pipe'],
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
  const { pid } = child
  const pidFile = spare ? `${options.name}-${pid}` : options.name
  const joinGroup = (of: 'answers' | 'runs') => {
    const group = options.answers ? openCpuGroup(of) : undefined
    if (group !== undefined && pid) void joinCpuGroup(group, pid)
  }
  if (pid) {
    joinGroup(spare ? 'runs' : 'answers')
    leash.hold(pid, stopSignal)
    writePidFile(runDir, pidFile, { pid, stopSignal })
  }
  const kill = () => {
    if (pid) killGroup(pid)
  }
  const exited = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(error.message))
    child.once('exit', (code, signal) => resolve(signal ?? `code ${code}`))
  })
  let over = false
  const ended = exited.then((why) => {
    over = true
    if (pid) {
      leash.release(pid)
      removePidFile(runDir, pidFile)
    }
    return why
  })
  return {
    get pid() {
      return over ? undefined : pid
    },
    ended,
    begin() {
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
    kill,
  }
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // The group has already ended.
  }
}
