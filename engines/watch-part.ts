import { spawn, type ChildProcess } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { joinCpuGroup, openCpuGroup } from '../gateways/sandbox/cpu-group.ts'
import type { Leash } from './leash.ts'
import { openLogFile } from './log-file.ts'
import { removePidFile, writePidFile } from './pid-file.ts'

export type PartOptions = {
  name: string
  program: string
  arguments: readonly string[]
  env: NodeJS.ProcessEnv
  owner?: { uid: number; gid: number } | undefined
  /** Requests of all organizations wait for it: on a busy host it gets more of the CPU than the rest. */
  answers?: boolean
  cwd?: string | undefined
  dataDir: string
  leash: Leash
  say: (line: string) => void
  /** Called with each line of the part's output. */
  onLine?: (line: string) => void
  /** Runs before every start of the process, to clean up after a crash. */
  prepare?: () => Promise<void>
  /** Resolves if the part answers, and rejects otherwise. Repeated until it resolves. */
  probe: () => Promise<void>
  readyTimeoutMs: number
  stopSignal: NodeJS.Signals
  stopTimeoutMs: number
  /** Attempts of the first start, default 3. A part that was ready once restarts without limit. */
  firstAttempts?: number
  /** Cancels the first start. Later, `stop` ends the part. */
  signal?: AbortSignal | undefined
}

export type Part = {
  name: string
  pid(): number | undefined
  restarts(): number
  stop(): Promise<void>
  /** Sends SIGKILL, for throwaway data and for a second Ctrl-C. */
  kill(): void
}

const longestBackoffMs = 10_000
const steadyAfterMs = 30_000

/** Starts a process, waits until it answers, and restarts it with backoff whenever it ends, until `stop`. */
export async function watchPart(options: PartOptions): Promise<Part> {
  const { name, say } = options
  const runDir = join(options.dataDir, 'run')
  const log = openLogFile(join(options.dataDir, 'logs', `${name}.log`), options.onLine)
  let child: ChildProcess | undefined
  let ended: Promise<string> = Promise.resolve('')
  const stopper = new AbortController()
  let stopping = false
  let restarts = 0
  const answers = options.answers ? openCpuGroup('answers') : undefined

  const launch = async (): Promise<void> => {
    await options.prepare?.()
    if (stopping) return
    const started = spawn(options.program, options.arguments, {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: options.env,
      // In its own process group: Ctrl-C must reach the supervisor alone, which stops the parts in order.
      detached: true,
      ...(options.cwd && { cwd: options.cwd }),
      ...options.owner,
    })
    child = started
    started.stdout.on('data', (chunk: Buffer) => log.write(chunk))
    started.stderr.on('data', (chunk: Buffer) => log.write(chunk))
    const { pid } = started
    if (pid) {
      if (answers) void joinCpuGroup(answers, pid)
      options.leash.hold(pid, options.stopSignal)
      writePidFile(runDir, name, { pid, stopSignal: options.stopSignal })
    }
    const exited = new Promise<string>((resolve) => {
      started.once('error', (error) => resolve(error.message))
      started.once('exit', (code, signal) => resolve(signal ?? `code ${code}`))
    })
    ended = exited.then((why) => {
      if (pid) {
        options.leash.release(pid)
        removePidFile(runDir, name)
      }
      child = undefined
      return why
    })
  }

  /** Resolves to `ready`, or to the reason for the failure. */
  const untilReady = async (): Promise<string> => {
    let over: string | undefined
    void ended.then((why) => (over = why))
    const deadline = Date.now() + options.readyTimeoutMs
    for (;;) {
      if (stopping || options.signal?.aborted) return 'was stopped'
      try {
        await options.probe()
        if (over === undefined) return 'ready'
      } catch {
        // The part is not ready yet.
      }
      if (over !== undefined) return `ended with ${over}`
      if (Date.now() > deadline) return `gave no answer in ${options.readyTimeoutMs / 1_000} s`
      await sleep(40)
    }
  }

  const end = async (): Promise<void> => {
    const pid = child?.pid
    if (pid) {
      child?.kill(options.stopSignal)
      const timer = setTimeout(() => killGroup(pid), options.stopTimeoutMs)
      await ended
      clearTimeout(timer)
      // Ends the children that it left behind.
      killGroup(pid)
    }
  }

  const watch = async (): Promise<void> => {
    let backoffMs = 100
    for (;;) {
      const since = Date.now()
      const why = await ended
      if (stopping) return
      if (Date.now() - since > steadyAfterMs) backoffMs = 100
      say(`${name}: ended with ${why}, starting it again`)
      await sleep(backoffMs, undefined, { signal: stopper.signal }).catch(() => undefined)
      backoffMs = Math.min(longestBackoffMs, backoffMs * 2)
      if (stopping) return
      restarts += 1
      try {
        await launch()
      } catch (error) {
        ended = Promise.resolve(error instanceof Error ? error.message : String(error))
        continue
      }
      const state = await untilReady()
      if (stopping) return
      if (state === 'ready') say(`${name}: up again`)
      else if (child) {
        say(`${name}: ${state}`)
        await end()
      }
    }
  }

  const attempts = options.firstAttempts ?? 3
  for (let attempt = 1; ; attempt += 1) {
    await launch()
    const state = await untilReady()
    if (state === 'ready') break
    await end()
    if (attempt >= attempts || options.signal?.aborted) {
      await log.close()
      throw new Error(`${name} does not come up: it ${state}\n${log.tail()}`)
    }
    await sleep(300 * attempt)
  }
  const watching = watch()

  return {
    name,
    pid: () => child?.pid,
    restarts: () => restarts,
    async stop() {
      stopping = true
      stopper.abort()
      await end()
      await watching
      // Ends a process that was launched during the stop.
      await end()
      await log.close()
    },
    kill() {
      stopping = true
      stopper.abort()
      if (child?.pid) killGroup(child.pid)
    },
  }
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // The group has already ended.
  }
}
