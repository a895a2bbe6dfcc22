import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'

export type AgentFile = {
  bytes: Buffer
  /** In hexadecimal. */
  sha256: string
}

export const agentFileName = 'cloud-control-agent.cjs'

/** The agent as one file (`npm run build:agent`), which hosts fetch from here. Undefined where it is not built. */
export function readAgentFile(path: string): AgentFile | undefined {
  if (!existsSync(path)) return undefined
  const bytes = readFileSync(path)
  return { bytes, sha256: createHash('sha256').update(bytes).digest('hex') }
}
