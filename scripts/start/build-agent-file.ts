import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { newestIn, runBuild, type BuildOptions } from './build-console.ts'

/**
 * Builds the agent's one file, which hosts fetch from the API, if it was never built or if its sources are newer. A
 * failed build does not stop the service: the command that installs an agent then runs it from its source.
 */
export async function buildAgentFile({ root, say, signal }: BuildOptions): Promise<void> {
  const built = join(root, 'dist/agent/cloud-control-agent.cjs')
  const sources = ['agent', 'domain', 'scripts/build-agent.ts', 'package-lock.json'].map((name) =>
    join(root, name),
  )
  if (existsSync(built) && statSync(built).mtimeMs >= Math.max(...sources.map(newestIn))) return
  if (!existsSync(join(root, 'node_modules/vite'))) return
  const fault = await runBuild([join(root, 'scripts/build-agent.ts')], root, signal)
  if (fault !== undefined && !signal.aborted) say(`agent: not built: ${fault}`)
}
