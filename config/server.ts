import { resolve } from 'node:path'
import type { Environment } from './environment.ts'

/** Where the service listens, what it is called, and where it keeps its files. */
export type ServerConfig = Readonly<{
  production: boolean
  host: string
  port: number
  /** `GET /metrics` listens here and nowhere else; 0 takes any free port. */
  metricsHost: string
  metricsPort: number
  /** The same for the worker, which is a process of its own. */
  workerMetricsPort: number
  baseUrl: string | undefined
  /** Where a worker's sandboxes reach the state endpoint; the API's own address unless said. */
  apiUrl: string
  dataDir: string
  cacheDir: string | undefined
  trustedProxies: readonly string[]
  /** Requests a minute of a session or API token, of a SCIM token, and of an address where nobody is signed in. */
  rateLimits: Readonly<{ token: number; scim: number; address: number }>
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
  // `localhost:8080` is a URL of the scheme localhost, whose origin is the text "null": what a
  // sandboxed frame of any site sends, and so would be taken for our own.
  if (url && /^https?:$/.test(url.protocol) && url.pathname === '/') return url.origin
  faults.push(`CC_BASE_URL=${value} is not an address as https://control.example.com`)
  return undefined
}

function readRateLimits(entries: readonly string[], faults: string[]): ServerConfig['rateLimits'] {
  const limits = { token: 6_000, scim: 12_000, address: 1_200 }
  for (const entry of entries) {
    const [, kind = '', count = ''] =
      /^\s*(token|scim|address)=([1-9]\d{0,8})\s*$/.exec(entry) ?? []
    if (kind === 'token' || kind === 'scim' || kind === 'address') limits[kind] = Number(count)
    else
      faults.push(
        `CC_RATE_LIMITS: "${entry.trim()}" is not token=, scim= or address= with requests a minute`,
      )
  }
  return limits
}
