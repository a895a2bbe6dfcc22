import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { Secret } from '../../config.ts'
import { createResolver } from '../../engines/resolve-binary.ts'
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
  }
}

/** One PostgreSQL, one Temporal, one bundle and one migrated template for the whole run. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = mkdtempSync(join(tmpdir(), 'cc-bundle-'))
  const workDir = workFolderFor(folder)
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
    const bundle = join(folder, 'workflows.js')
    writeFileSync(bundle, (await bundleWorkflows()).code)
    project.provide('templateUrl', templateUrl)
    project.provide('temporalEnv', engines.temporalEnv)
    project.provide('workflowBundle', bundle)
    project.provide('tofuBin', await tofu)
    project.provide('workDir', workDir)
    project.provide('opaBin', await opa)
  } catch (error) {
    await engines.stop()
    throw error
  }
  return async () => {
    await engines.stop()
    await removeWorkDir(workDir)
    rmSync(folder, { recursive: true, force: true })
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
