import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Connection } from '@temporalio/client'
import { inject } from 'vitest'
import { ensureNamespace } from '../../engines/ensure-namespace.ts'
import { connectionOptions } from '../../gateways/temporal/connection-options.ts'
import { freePort, type Harness } from './create-harness.ts'

export type Process = {
  pid: number
  /** The output of the process, for the message of a failed test. */
  said(): string
  /** Sends SIGKILL to this process alone. Its child processes are not killed. */
  kill(): Promise<void>
  /** Sends SIGTERM and waits for the exit; sends SIGKILL after `withinMs`. */
  stop(withinMs?: number): Promise<void>
}

export type Processes = {
  /** The address of the API that the sandboxes call. */
  apiUrl: string
  startApi(): Promise<Process>
  startWorker(): Promise<Process>
  /** Ends all processes that still run. */
  close(): Promise<void>
}

const root = join(import.meta.dirname, '../..')

/**
 * The API and the worker as separate processes on the harness's database, namespace and keyring.
 * The tests call the harness's own API, so they can read while this API is dead.
 */
export async function processesOf(
  harness: Harness,
  more: Record<string, string> = {},
): Promise<Processes> {
  const { config } = harness
  const connection = await Connection.connect(connectionOptions(config))
  await ensureNamespace(connection, config.temporal.namespace)
  await connection.close()

  const cacheDir = inject('cacheDir')
  mkdirSync(cacheDir, { recursive: true })
  // Each harness has a data folder of its own, and a worker keeps its bundle there.
  const cacheOfData = join(config.dataDir, 'cache')
  if (!existsSync(cacheOfData)) symlinkSync(cacheDir, cacheOfData)

  const port = await freePort()
  const apiUrl = `http://127.0.0.1:${port}`
  const env = { ...environmentOf(harness), CC_PORT: String(port), ...more }
  const running = new Set<Process>()
  const start = async (script: string, isUp: (said: string) => boolean) => {
    const child = await run(script, env, isUp)
    running.add(child)
    return child
  }
  return {
    apiUrl,
    startApi: async () => start('api/server.ts', (said) => said.includes('"listening"')),
    startWorker: async () => start('worker/main.ts', (said) => said.includes('"msg":"running"')),
    async close() {
      await Promise.all([...running].map(async (child) => child.stop()))
      for (const child of running) harness.secrets.wrote('what a process printed', child.said())
    },
  }
}

/** What a process of the harness is started with. */
export function environmentOf({ config, temporalEnv }: Harness): Record<string, string> {
  const { keyring, workDir, billingWorkDir, buildWorkDir, tofuBin = '', opaBin = '' } = config
  return {
    PATH: process.env['PATH'] ?? '',
    DATABASE_URL: config.databaseUrl.reveal(),
    ...temporalEnv,
    CC_KEYRING: keyring.map(({ id, key }) => `${id}=${key.reveal()}`).join(','),
    CC_DATA_DIR: config.dataDir,
    NODE_COMPILE_CACHE: join(config.dataDir, 'cache', 'code'),
    ...(workDir !== undefined && { CC_WORK_DIR: workDir }),
    ...(billingWorkDir !== undefined && { CC_BILLING_WORK_DIR: billingWorkDir }),
    ...(buildWorkDir !== undefined && { CC_BUILD_WORK_DIR: buildWorkDir }),
    CC_TOFU_BIN: tofuBin,
    CC_OPA_BIN: opaBin,
    CC_TOFU_SLOTS: '6',
    CC_SHUTDOWN_GRACE_SECONDS: String(config.shutdownGraceSeconds),
    CC_LOG_LEVEL: 'info',
  }
}

async function run(
  script: string,
  env: Record<string, string>,
  isUp: (said: string) => boolean,
): Promise<Process> {
  const child = spawn(process.execPath, [join(root, script)], {
    cwd: root,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let said = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => (said = (said + chunk.toString()).slice(-200_000)))
  const ended = once(child, 'exit')
  // A worker bundles its workflows first, which takes a minute on a busy machine.
  const deadline = Date.now() + 180_000
  while (!isUp(said)) {
    if (hasEnded(child) || Date.now() > deadline) throw new Error(`${script} is not up:\n${said}`)
    await sleep(20)
  }
  const end = async (signal: NodeJS.Signals) => {
    if (!hasEnded(child)) child.kill(signal)
    await ended
  }
  return {
    pid: child.pid ?? 0,
    said: () => said,
    kill: async () => end('SIGKILL'),
    async stop(withinMs = 25_000) {
      const timer = setTimeout(() => child.kill('SIGKILL'), withinMs)
      await end('SIGTERM')
      clearTimeout(timer)
    },
  }
}

const hasEnded = ({ exitCode, signalCode }: ChildProcess): boolean =>
  exitCode !== null || signalCode !== null

/**
 * The living `tofu` processes below a worker. They are found by descent, because other test files
 * run sandboxes on this host too.
 */
export const tofuBelow = (worker: number): number[] => below(worker, 'tofu')

/** The living processes of this name below another. */
export function below(worker: number, program: string): number[] {
  const processes = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => statusOf(Number(name)))
  const family = new Set([worker])
  // A child can have a smaller pid than its parent after pids wrap around.
  for (let size = 0; size < family.size;) {
    size = family.size
    for (const { pid, parent } of processes) if (family.has(parent)) family.add(pid)
  }
  return processes
    .filter(({ pid, name, state }) => family.has(pid) && name === program && !'ZX'.includes(state))
    .map(({ pid }) => pid)
}

function statusOf(
  pid: number,
): Array<{ pid: number; parent: number; name: string; state: string }> {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const [state = '', parent] = text.slice(text.lastIndexOf(')') + 2).split(' ')
    const name = text.slice(text.indexOf('(') + 1, text.lastIndexOf(')'))
    return [{ pid, parent: Number(parent), name, state }]
  } catch {
    return []
  }
}
