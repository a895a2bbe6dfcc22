import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { readConfig, type Config } from '../config.ts'
import { expectAnswer } from '../engines/expect-answer.ts'
import { tryLock } from '../engines/file-lock.ts'
import { isPortFree } from '../engines/free-ports.ts'
import { createLeash } from '../engines/leash.ts'
import { makeDataDir } from '../engines/make-data-dir.ts'
import { sweepPidFiles } from '../engines/pid-file.ts'
import { removeWorkDir } from '../gateways/sandbox/remove-work-dir.ts'
import { workFolderFor } from '../gateways/sandbox/work-folder-for.ts'
import { prepareStore } from '../store/prepare-store.ts'
import { buildConsole } from './start/build-console.ts'
import { prepareSources } from './start/prepare-sources.ts'
import { readStartSettings, type StartSettings } from './start/read-start-settings.ts'
import { startNodePart } from './start/start-node-part.ts'

/**
 * `npm start`: the whole service under one supervisor. What the environment does not name
 * (database, engine, keyring) it brings up itself, below CC_DATA_DIR; it starts again whichever
 * part dies; Ctrl-C ends all of it, the parts before what they stand on.
 */
type Stoppable = { stop(): Promise<void>; kill(): void }

const root = join(import.meta.dirname, '..')
const say = (line: string): void => void process.stdout.write(`${line}\n`)
const running: Stoppable[] = []
const aborter = new AbortController()

// The terminal may be gone (SIGHUP) before the parts are: that must not end the stop half-way.
process.stdout.on('error', () => undefined)
process.stderr.on('error', () => undefined)
// All that is made below the data directory is the service's alone.
process.umask(0o077)
let firstSignalAt = 0
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(signal, () => {
    firstSignalAt ||= Date.now()
    // One Ctrl-C may come twice: from the terminal and, passed on, from npm.
    if (Date.now() - firstSignalAt < 1_000) return aborter.abort()
    say('stopping at once')
    for (const part of running) part.kill()
    process.exit(130)
  })

process.exitCode = await main()
// A socket or timer that somebody forgot must not keep a stopped service's terminal.
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
    // Nothing runs in it any more; an operator's own folder is the operator's to clear.
    if (!process.env['CC_WORK_DIR']) await removeWorkDir(workFolderFor(settings.dataDir))
    lock.release()
    if (aborter.signal.aborted) say('stopped')
  }
}

/** The service is up with or without it. */
async function demo(config: Config): Promise<void> {
  try {
    // Only then: all of the API's use cases are no small part of the supervisor.
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
  // First: what an earlier start left behind holds the port too.
  await sweepPidFiles(join(dataDir, 'run'), say)
  if (!(await isPortFree(host, port)))
    throw new Error(`port ${port} on ${host} is taken by another program: stop it, or set CC_PORT`)
  if (settings.sandboxNotice) say(settings.sandboxNotice)

  // Beside the engines, which take longer; the API looks for it once, when it starts.
  const consoleBuilt = buildConsole({ root, say, signal })
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
  await consoleBuilt
  signal.throwIfAborted()

  try {
    const address = await startParts(settings, { env, config })
    say(`ready: ${address}`)
    if (sources.engines?.hasUi)
      say(`  Temporal UI (read-only, for platform administrators): ${address}/temporal/`)
    say(`  API reference: ${address}/docs`)
    say(`  logs: ${join(dataDir, 'logs')}`)
  } finally {
    // The store will not be empty again: a password that is not shown now is lost.
    if (firstSignIn) {
      const { organization, email, password } = firstSignIn
      const secret = password ? `, password ${password} (shown this once)` : ''
      say(`  first sign-in: organization ${organization}, ${email}${secret}`)
    }
  }
  return config
}

/** Starts the API and the worker, and gives the address once the API is ready. */
async function startParts(
  settings: StartSettings,
  { env, config }: { env: NodeJS.ProcessEnv; config: Config },
): Promise<string> {
  const { dataDir, host, port } = settings
  const { signal } = aborter
  const leash = createLeash()
  running.push({ stop: async () => leash.close(), kill: () => leash.close() })
  const shownHost = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host
  const address = `http://${shownHost.includes(':') ? `[${shownHost}]` : shownHost}:${port}`
  const common = { root, dataDir, env, leash, say, signal }
  const starts = await Promise.allSettled([
    startNodePart({ ...common, name: 'api', script: 'api/server.ts', address }),
    startNodePart({
      ...common,
      name: 'worker',
      script: 'worker/main.ts',
      stopTimeoutMs: config.shutdownGraceSeconds * 1_000 + 30_000,
    }),
  ])
  // Whichever came up is stopped even when the other did not.
  for (const start of starts) if (start.status === 'fulfilled') running.push(start.value)
  for (const start of starts) if (start.status === 'rejected') throw start.reason
  await untilReady(address)
  signal.throwIfAborted()
  return address
}

/** Waits for the API to find its database, engine and keyring; says what is missing if that takes long. */
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
  // A promise alone does not keep the process up.
  const timer = setInterval(() => undefined, 3_600_000)
  await new Promise<void>((resolve) => {
    if (aborter.signal.aborted) resolve()
    aborter.signal.addEventListener('abort', () => resolve(), { once: true })
  })
  clearInterval(timer)
}
