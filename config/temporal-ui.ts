import { readFileSync } from 'node:fs'
import { Secret } from './secret.ts'

export type TemporalUi = Readonly<{
  /** The address of Temporal's UI server, which only the API calls. */
  upstream: URL
  /** The bearer token of each request, which the embedded UI's gate requires (engines/temporal-ui-gate.ts). */
  secret: Secret | undefined
}>

const upstreamName = 'CC_TEMPORAL_UI_UPSTREAM'
const secretName = 'CC_TEMPORAL_UI_SECRET_FILE'

/** Temporal's web UI, which the API shows to platform administrators under `/temporal`. */
export function readTemporalUi(env: NodeJS.ProcessEnv, faults: string[]): TemporalUi | undefined {
  const address = env[upstreamName]
  if (!address) return undefined
  const upstream = URL.canParse(address) ? new URL(address) : undefined
  if (!upstream || !/^https?:$/.test(upstream.protocol) || upstream.pathname !== '/') {
    faults.push(`${upstreamName}=${address} is not an address as http://temporal-ui:8080`)
    return undefined
  }
  return { upstream, secret: readSecret(env, faults) }
}

function readSecret(env: NodeJS.ProcessEnv, faults: string[]): Secret | undefined {
  const path = env[secretName]
  if (!path) return undefined
  try {
    return new Secret(readFileSync(path, 'utf8').trim())
  } catch {
    faults.push(`${secretName} names ${path}, which cannot be read`)
    return undefined
  }
}
