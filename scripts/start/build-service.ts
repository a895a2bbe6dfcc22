import { existsSync, mkdirSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { runBuild, type BuildOptions } from './build-console.ts'

export type ScriptOf = (name: 'api' | 'worker') => string

const sources = { api: 'api/server.ts', worker: 'worker/main.ts' }

/**
 * Builds the API and the worker as one file each below the data directory, and says which script starts which. A
 * killed part starts again in two thirds of the time that its 1,800 files take. Built at each start of the
 * supervisor, so that a part that is restarted is the code that was started. A failed build does not stop the service,
 * which then runs from its sources.
 */
export async function buildService(
  { root, say, signal }: BuildOptions,
  dataDir: string,
): Promise<ScriptOf> {
  const packages = join(root, 'node_modules')
  const fromSources: ScriptOf = (name) => sources[name]
  // Not among the packages of production.
  if (!existsSync(join(packages, 'vite'))) return fromSources
  const cache = join(dataDir, 'cache')
  const folder = join(cache, 'service')
  mkdirSync(cache, { recursive: true })
  // Node looks for packages in the folders above a script.
  const link = join(cache, 'node_modules')
  rmSync(link, { force: true })
  symlinkSync(packages, link)
  const fault = await runBuild([join(root, 'scripts/build-service.ts'), folder], root, signal)
  if (fault === undefined) return (name) => join(folder, `${name}.mjs`)
  if (!signal.aborted) say(`service: runs from its sources, because it was not built: ${fault}`)
  return fromSources
}
