import { join, resolve } from 'node:path'
import type { Environment } from './environment.ts'

export const rateLimitKinds = ['token', 'scim', 'agent', 'agents', 'address'] as const
export type RateLimitKind = (typeof rateLimitKinds)[number]

/** The service's addresses, folders, rate limits and log level. */
export type ServerConfig = Readonly<{
  production: boolean
  host: string
  port: number
  /** The only address that serves `GET /metrics`. Port 0 is any free port. */
  metricsHost: string
  metricsPort: number
  /** The port of the worker's metrics: the worker is a separate process. */
  workerMetricsPort: number
  baseUrl: string | undefined
  /** The address at which sandboxes reach the state endpoint. Default: the API's own. */
  apiUrl: string
  /** What hosts fetch as their agent. */
  agentFile: string
  dataDir: string
  cacheDir: string | undefined
  trustedProxies: readonly string[]
  /**
   * Requests a minute: per session or API token, per SCIM token, per agent, for all agents of an organization
   * together, and per address without a sign-in.
   */
  rateLimits: Readonly<Record<RateLimitKind, number>>
  logLevel: string
}>

export function readServer({
  values,
  production,
  faults,
  number,
  list,
}: Environment): ServerConfig {
  const host = values['CC_HOST'] ?? '127.0.0.1'
  const port = number('CC_PORT', 8080)
  return {
    production,
    host,
    port,
    metricsHost: values['CC_METRICS_HOST'] ?? '127.0.0.1',
    metricsPort: number('CC_METRICS_PORT', 9464),
    workerMetricsPort: number('CC_WORKER_METRICS_PORT', 9465),
    baseUrl: readBaseUrl(values['CC_BASE_URL'], faults),
    apiUrl: values['CC_API_URL'] ?? `http://${host.includes(':') ? `[${host}]` : host}:${port}`,
    agentFile: resolve(
      values['CC_AGENT_FILE'] || join(import.meta.dirname, '../dist/agent/cloud-control-agent.cjs'),
    ),
    dataDir: resolve(values['CC_DATA_DIR'] ?? '.data'),
    cacheDir: values['CC_CACHE_DIR'],
    trustedProxies: list('CC_TRUSTED_PROXIES'),
    rateLimits: readRateLimits(list('CC_RATE_LIMITS'), faults),
    logLevel: values['CC_LOG_LEVEL'] ?? 'info',
  }
}

function readBaseUrl(value: string | undefined, faults: string[]): string | undefined {
  if (!value) return undefined
  const url = URL.canParse(value) ? new URL(value) : undefined
  // `localhost:8080` parses as a URL of the scheme `localhost:`, with the origin "null". A sandboxed
  // frame of an attacker's site sends `Origin: null` and would pass as same-origin.
  if (url && /^https?:$/.test(url.protocol) && url.pathname === '/') return url.origin
  faults.push(`CC_BASE_URL=${value} is not an address as https://control.example.com`)
  return undefined
}

function readRateLimits(entries: readonly string[], faults: string[]): ServerConfig['rateLimits'] {
  const limits = { token: 6_000, scim: 12_000, agent: 600, agents: 30_000, address: 1_200 }
  for (const entry of entries) {
    const [, name, count] = /^\s*([a-z]+)=([1-9]\d{0,8})\s*$/.exec(entry) ?? []
    const kind = rateLimitKinds.find((one) => one === name)
    if (kind) limits[kind] = Number(count)
    else
      faults.push(
        `CC_RATE_LIMITS: "${entry.trim()}" is not token=, scim=, agent=, agents= or address= with requests a minute`,
      )
  }
  return limits
}
