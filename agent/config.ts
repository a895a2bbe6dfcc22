import { readFileSync } from 'node:fs'

export type AgentConfig = {
  /** Address of the service, without a slash at its end. */
  url: string
  /** Read anew at each call, so that a rotated token in a file needs no restart. */
  readToken: () => string
  /** Fingerprint of the organization's signing key. */
  keyId: string
  dir: string
  ca: string | undefined
}

/** The settings of the agent. Only this file in agent/ reads the environment. Names every fault at once. */
export function readAgentConfig(env: NodeJS.ProcessEnv = process.env): AgentConfig {
  const faults: string[] = []
  const url = readUrl(env['CC_AGENT_URL'], faults)
  const keyId = env['CC_AGENT_KEY']?.trim().toLowerCase() ?? ''
  if (!/^sha256:[0-9a-f]{64}$/.test(keyId))
    faults.push(
      'CC_AGENT_KEY is the fingerprint of the organization’s signing key: "sha256:" and 64 hexadecimal digits.',
    )
  const dir = env['CC_AGENT_DIR'] || '/var/lib/cloud-control-agent'
  if (!dir.startsWith('/')) faults.push('CC_AGENT_DIR is an absolute path.')
  const readToken = tokenReader(env, faults)
  const ca = readCa(env['CC_AGENT_CA_FILE'], faults)
  if (faults.length > 0) throw new ConfigFault(faults.join('\n'))
  return { url, readToken, keyId, dir, ca }
}

class ConfigFault extends Error {}

/** The search path of hooks. */
export const searchPath =
  process.env['PATH'] || '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'

function readUrl(given: string | undefined, faults: string[]): string {
  const url = given && URL.canParse(given) ? new URL(given) : undefined
  if (
    !url ||
    !['http:', 'https:'].includes(url.protocol) ||
    url.username ||
    url.search ||
    url.hash
  ) {
    faults.push('CC_AGENT_URL is the address of the service, such as https://control.example.com.')
    return ''
  }
  return url.href.replace(/\/+$/, '')
}

export const isAgentToken = (text: string): boolean => /^cc_agt_[\w-]{1,200}$/.test(text)

function tokenReader(env: NodeJS.ProcessEnv, faults: string[]): () => string {
  const file = env['CC_AGENT_TOKEN_FILE']
  const given = env['CC_AGENT_TOKEN']?.trim()
  const read = () => (file ? readFileSync(file, 'utf8').trim() : (given ?? ''))
  if (file && given) faults.push('CC_AGENT_TOKEN and CC_AGENT_TOKEN_FILE exclude each other.')
  try {
    if (!isAgentToken(read()))
      faults.push('CC_AGENT_TOKEN, or the file CC_AGENT_TOKEN_FILE, has a token "cc_agt_…".')
  } catch (error) {
    faults.push(`CC_AGENT_TOKEN_FILE cannot be read: ${codeOf(error)}.`)
  }
  return read
}

function readCa(file: string | undefined, faults: string[]): string | undefined {
  if (!file) return undefined
  try {
    const text = readFileSync(file, 'utf8')
    if (text.includes('-----BEGIN CERTIFICATE-----')) return text
    faults.push('CC_AGENT_CA_FILE has no certificate in PEM.')
  } catch (error) {
    faults.push(`CC_AGENT_CA_FILE cannot be read: ${codeOf(error)}.`)
  }
  return undefined
}

const codeOf = (error: unknown): string =>
  (error instanceof Error && (error as NodeJS.ErrnoException).code) || 'unknown'
