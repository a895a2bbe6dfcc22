import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const script = join(import.meta.dirname, '../../../scripts/build-agent.ts')
let built: string | undefined

/**
 * The agent as hosts have it: one file, built once in this process. From its sources each start of an agent takes a
 * second of CPU more.
 */
export function agentFile(): string {
  if (built !== undefined) return built
  const folder = mkdtempSync(join(tmpdir(), 'cc-agent-file-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  execFileSync(process.execPath, [script, folder], { stdio: ['ignore', 'ignore', 'inherit'] })
  built = join(folder, 'cloud-control-agent.cjs')
  return built
}
