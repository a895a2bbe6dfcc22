import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { readConfig, type Config } from '../config.ts'
import { expectAnswer } from '../engines/expect-answer.ts'
import { tryLock } from '../engines/file-lock.ts'
import { isPortFree } from '../engines/free-ports.ts'
import { createLeash } from '../engines/leash.ts'
import { makeDataDir } from '../engines/make-data-dir.ts'
import { sweepPidFiles } from '../engines/pid-file.ts'
import { diskFolderFor } from '../gateways/sandbox/disk-folder-for.ts'
import { removeWorkDir } from '../gateways/sandbox/remove-work-dir.ts'
import { workFolderFor } from '../gateways/sandbox/work-folder-for.ts'
import { prepareStore } from '../store/prepare-store.ts'
import { buildAgentFile } from './start/build-agent-file.ts'
import { buildConsole } from './start/build-console.ts'
import { buildService, type ScriptOf } from './start/build-service.ts'
import { prepareSources } from './start/prepare-sources.ts'
import { readStartSettings, type StartSettings } from './start/read-start-settings.ts'
import { startNodePart } from './start/start-node-part.ts'

/**
 * `npm start`: runs the whole service under one supervisor. If the environment names no database,
 * Temporal or keyring, the supervisor creates them below CC_DATA_DIR. It restarts a part that ends.
 * Ctrl-C stops all parts in reverse order of their start.
 */
type Stoppable = { stop(): Promise<void>; kill(): void }

const root = join(import.meta.dirname, '..')
const say = (line: string): void => void process.stdout.write(`${line}\n`)
const running: Stoppable[] = []
const aborter = new AbortController()
/** Said once. The password is generated once, and the next start cannot show it. */
let sayFirstSignIn = (): void => undefined

// A closed terminal (SIGHUP) must not interrupt the stop with a write error.
process.stdout.on('error', () => undefined)
process.stderr.on('error', () => undefined)
// Other users of the host must not read files of the data directory.
process.umask(0o077)
let firstSignalAt = 0
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(signal, () => {
    firstSignalAt ||= Date.now()
    // One Ctrl-C can arrive twice: from the terminal and from npm, which forwards it.
    if (Date.now() - firstSignalAt < 1_000) return aborter.abort()
    say('stopping at once')
    sayFirstSignIn()
    for (const part of running) part.kill()
    process.exit(130)
  })

process.exitCode = await main()
// An open socket or timer must not keep the stopped process alive.
process.exit()

async function main(): Promise<number> {
  const settings = readStartSettings(process.env, process.argv.slice(2))
  if ('faults' in settings) {
    say(`cloud-control does not start:\n${settings.faults.map((f) => `  - ${f}`).join('\n')}`)
    return 1
  }
  makeDataDir(settings.dataDir)
  const lock = tryLock(join(settings.dataDir, 'start.lock'))
  if (!lock) {
    say(
      `cloud-control runs already on ${settings.dataDir}: stop it, or set CC_DATA_DIR and CC_PORT`,
    )
    return 1
  }
  try {
    const config = await up(settings)
    if (settings.demo) await demo(config)
    await untilAborted()
    return 0
  } catch (error) {
    if (aborter.signal.aborted) return 0
    say(`cloud-control does not start: ${error instanceof Error ? error.message : String(error)}`)
    return 1
  } finally {
    if (running.length > 0) say('stopping')
    for (const part of running.toReversed()) await part.stop()
    // Only the default folders: a folder that the operator chose may contain other files.
    if (!process.env['CC_WORK_DIR']) await removeFolder(workFolderFor(settings.dataDir))
    if (!process.env['CC_BILLING_WORK_DIR'] || !process.env['CC_BUILD_WORK_DIR'])
      await removeFolder(diskFolderFor(settings.dataDir))
    lock.release()
    if (aborter.signal.aborted) say('stopped')
  }
}

async function removeFolder(workDir: string): Promise<void> {
  try {
    await removeWorkDir(workDir)
  } catch (error) {
    say(`${workDir} is not removed: ${error instanceof Error ? error.message : String(error)}`)
  }
}

/** Fills in the demo. A failure is reported and does not stop the service. */
async function demo(config: Config): Promise<void> {
  try {
    // Imported only here: the API's use cases would take much memory in every supervisor.
    const { fillDemo } = await import('./start/fill-demo.ts')
    await fillDemo({ config, say, signal: aborter.signal })
  } catch (error) {
    if (!aborter.signal.aborted)
      say(`demo: not filled in: ${error instanceof Error ? error.message : String(error)}`)
  }
}

async function up(settings: StartSettings): Promise<Config> {
  const { dataDir, host, port } = settings
  const { signal } = aborter
  // First, because a process that an earlier start left may hold the port.
  await sweepPidFiles(join(dataDir, 'run'), say)
  if (!(await isPortFree(host, port)))
    throw new Error(`port ${port} on ${host} is taken by another program: stop it, or set CC_PORT`)
  if (settings.sandboxNotice) say(settings.sandboxNotice)

  // In parallel with the engines, which take longer. The API looks for the console and the agent's file once, when it starts.
  const built = buildConsole({ root, say, signal }).then(async () => {
    await buildAgentFile({ root, say, signal })
    return buildService({ root, say, signal }, dataDir)
  })
  const sources = await prepareSources({
    settings,
    say,
    signal,
    onEngines: (engines) => running.push(engines),
  })
  signal.throwIfAborted()
  const env = { ...process.env, ...sources.env }
  const config = readConfig(env)
  const { firstSignIn } = await prepareStore(config)
  if (firstSignIn)
    sayFirstSignIn = () => {
      sayFirstSignIn = () => undefined
      const { organization, email, password } = firstSignIn
      const secret = password ? `, password ${password} (shown this once)` : ''
      say(`  first sign-in: organization ${organization}, ${email}${secret}`)
    }

  try {
    const scriptOf = await built
    signal.throwIfAborted()
    const address = await startParts(settings, { env, config, scriptOf })
    say(`ready: ${address}`)
    if (sources.engines?.hasUi)
      say(`  Temporal UI (read-only, for platform administrators): ${address}/temporal/`)
    say(`  API reference: ${address}/docs`)
    say(`  logs: ${join(dataDir, 'logs')}`)
  } finally {
    // Also after a failed start.
    sayFirstSignIn()
  }
  return config
}

/** Starts the API and the worker, and returns the API's address once it is ready. */
async function startParts(
  settings: StartSettings,
  { env, config, scriptOf }: { env: NodeJS.ProcessEnv; config: Config; scriptOf: ScriptOf },
): Promise<string> {
  const { dataDir, host, port } = settings
  const { signal } = aborter
  const leash = createLeash()
  running.push({ stop: async () => leash.close(), kill: () => leash.close() })
  const shownHost = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host
  const address = `http://${shownHost.includes(':') ? `[${shownHost}]` : shownHost}:${port}`
  const common = { root, dataDir, env, leash, say, signal }
  const starts = await Promise.allSettled([
    startNodePart({ ...common, name: 'api', script: scriptOf('api'), address }),
    startNodePart({
      ...common,
      name: 'worker',
      script: scriptOf('worker'),
      stopTimeoutMs: config.shutdownGraceSeconds * 1_000 + 30_000,
    }),
  ])
  // If one part fails to start, the other is still registered, so that it is stopped.
  for (const start of starts) if (start.status === 'fulfilled') running.push(start.value)
  for (const start of starts) if (start.status === 'rejected') throw start.reason
  await untilReady(address)
  signal.throwIfAborted()
  return address
}

/** Waits until the API is ready and sees a worker. Reports the reason every 10 seconds or so. */
async function untilReady(address: string): Promise<void> {
  for (let turn = 1; !aborter.signal.aborted; turn += 1) {
    try {
      const { workers } = JSON.parse(await expectAnswer(`${address}/readyz`))
      if (workers.ok) return
      throw new Error(workers.detail)
    } catch (error) {
      if (turn % 100 === 0) say(`not ready yet: ${error instanceof Error ? error.message : ''}`)
      await sleep(100)
    }
  }
}

async function untilAborted(): Promise<void> {
  // A pending promise does not keep the process alive.
  const timer = setInterval(() => undefined, 3_600_000)
  await new Promise<void>((resolve) => {
    if (aborter.signal.aborted) resolve()
    aborter.signal.addEventListener('abort', () => resolve(), { once: true })
  })
  clearInterval(timer)
}
