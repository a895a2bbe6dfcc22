import { spawn, type ChildProcess } from 'node:child_process'
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
  const child = spawnPart(options, log, spare)
  const { pid } = child
  const forget = pid ? hold(options, { pid, spare }) : () => undefined
  const kill = () => {
    if (pid) killGroup(pid)
  }
  let isPrepared = false
  let begun = false
  child.stdio[3]?.once('data', () => (isPrepared = true)).on('error', () => undefined)
  const late = setTimeout(() => {
    if (spare && !isPrepared && !begun) kill()
  }, options.readyTimeoutMs)

  let over = false
  const ended = endOf(child).then((why) => {
    over = true
    clearTimeout(late)
    forget()
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
      if (pid) joinGroup(options, 'answers', pid)
      child.stdin?.end('begin\n')
    },
    async end() {
      if (over || !pid) return
      child.kill(options.stopSignal)
      const timer = setTimeout(kill, options.stopTimeoutMs)
      await ended
      clearTimeout(timer)
      kill()
    },
    // The number of a process that has ended may be another's.
    kill: () => over || kill(),
  }
}

function spawnPart(options: PartOptions, log: LogFile, spare: boolean): ChildProcess {
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
  return child
}

async function endOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    child.once('error', (error) => resolve(error.message))
    child.once('exit', (code, signal) => resolve(signal ?? `code ${code}`))
  })
}

/** Has it end with the supervisor, whatever ends that. Returns what to do once it has ended. */
function hold(options: PartOptions, { pid, spare }: { pid: number; spare: boolean }): () => void {
  const { leash, stopSignal } = options
  const folder = join(options.dataDir, 'run')
  const file = spare ? `${options.name}-${pid}` : options.name
  joinGroup(options, spare ? 'runs' : 'answers', pid)
  leash.hold(pid, stopSignal)
  try {
    writePidFile(folder, file, { pid, stopSignal })
  } catch (error) {
    killGroup(pid)
    throw error
  }
  return () => {
    leash.release(pid)
    try {
      removePidFile(folder, file)
    } catch {
      // The next start finds that no process has its number and start time.
    }
  }
}

function joinGroup({ answers }: PartOptions, of: 'answers' | 'runs', pid: number): void {
  const group = answers ? openCpuGroup(of) : undefined
  if (group !== undefined) void joinCpuGroup(group, pid)
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // The group has already ended.
  }
}
