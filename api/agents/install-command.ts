import { agentFileName } from './agent-file.ts'

export type Installation = {
  origin: string
  token: string
  /** Fingerprint of the organization's key. */
  keyId: string
  /** SHA-256 of the agent's file, in hexadecimal; undefined where this service does not have it. */
  sha256: string | undefined
}

/**
 * The command that starts an agent on a host, which needs Node and curl alone. The agent's file is compared with
 * what this service had when the token was made. The key's fingerprint is in the command, so that the agent trusts
 * what this organization built from its first release on, whatever the address answers later.
 */
export function installCommand({ origin, token, keyId, sha256 }: Installation): string {
  const settings = `CC_AGENT_URL=${origin} CC_AGENT_TOKEN=${token} CC_AGENT_KEY=${keyId}`
  if (sha256 === undefined) return `${settings} npm run agent`
  return [
    `curl -fsSL -o ${agentFileName} ${origin}/api/downloads/${agentFileName}`,
    `echo "${sha256}  ${agentFileName}" | sha256sum -c`,
    `${settings} node ${nodeFlags} ${agentFileName}`,
  ].join(' && ')
}

/** As the unit file (agent/cloud-control-agent.service) has it. */
const nodeFlags = '--max-semi-space-size=1'
