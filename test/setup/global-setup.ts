import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ProvidedContext } from 'vitest'
import type { TestProject } from 'vitest/node'
import { Secret } from '../../config.ts'
import { createResolver } from '../../engines/resolve-binary.ts'
import { diskFolderFor } from '../../gateways/sandbox/disk-folder-for.ts'
import { removeWorkDir } from '../../gateways/sandbox/remove-work-dir.ts'
import { workFolderFor } from '../../gateways/sandbox/work-folder-for.ts'
import { connectOwner } from '../../store/driver/connect.ts'
import { migrate } from '../../store/migrate.ts'
import { bundleWorkflows } from '../../worker/bundle-workflows.ts'
import { startTestEngines } from './engines.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** Of the database that each test file copies. */
    templateUrl: string
    /** Its address, and the keys without which it answers nobody. */
    temporalEnv: Record<string, string>
    workflowBundle: string
    tofuBin: string
    opaBin: string
    /** One for the run: a copy of the programs each file needs is enough. */
    workDir: string
    /** The reader of bills with DuckDB, about 190 MB. */
    billingWorkDir: string
    /** Bundled workflows and compiled code of the workers and APIs that tests start as processes. */
    cacheDir: string
  }
}

type Started = { provided: ProvidedContext; stop: () => Promise<void> }

// Each project of vitest.config.ts reads this file for itself, and all share what was started first.
const shared = globalThis as { testEngines?: { started: Promise<Started>; projects: number } }

/** One PostgreSQL, one Temporal, one bundle and one migrated template for the whole run. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const engines = (shared.testEngines ??= { started: start(), projects: 0 })
  engines.projects += 1
  const { provided, stop } = await engines.started
  for (const [key, value] of Object.entries(provided))
    project.provide(key as keyof ProvidedContext, value as never)
  return async () => {
    engines.projects -= 1
    if (engines.projects > 0) return
    delete shared.testEngines
    await stop()
  }
}

async function start(): Promise<Started> {
  const folder = mkdtempSync(join(tmpdir(), 'cc-bundle-'))
  const workDir = workFolderFor(folder)
  const billingWorkDir = diskFolderFor(folder)
  const say = (line: string) => console.log(line)
  // All at once: where nothing is cached, two are built at a time, the longest first.
  const resolve = createResolver({ say })
  void resolve('temporal-server')
  const tofu = resolve('tofu')
  void resolve('temporal-sql-tool')
  const opa = resolve('opa')
  const engines = await startTestEngines({ resolve })
  try {
    const templateUrl = await makeTemplate(engines.databaseUrl)
    const workflowBundle = join(folder, 'workflows.js')
    writeFileSync(workflowBundle, (await bundleWorkflows()).code)
    const { temporalEnv } = engines
    const [tofuBin, opaBin] = await Promise.all([tofu, opa])
    const stop = async () => {
      await engines.stop()
      await removeWorkDir(workDir)
      await removeWorkDir(billingWorkDir)
      rmSync(folder, { recursive: true, force: true })
    }
    return {
      provided: {
        templateUrl,
        temporalEnv,
        workflowBundle,
        tofuBin,
        opaBin,
        workDir,
        billingWorkDir,
        cacheDir: join(folder, 'cache'),
      },
      stop,
    }
  } catch (error) {
    await engines.stop()
    throw error
  }
}

async function makeTemplate(databaseUrl: string): Promise<string> {
  const admin = connectOwner(new Secret(databaseUrl))
  await admin.raw('create database cc_template')
  await admin.destroy()
  const url = new URL(databaseUrl)
  url.pathname = '/cc_template'
  const template = connectOwner(new Secret(url.href))
  await migrate(template)
  await template.destroy()
  return url.href
}
