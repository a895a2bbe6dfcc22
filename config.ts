import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { Secret } from './config/secret.ts'
import { readTemporalTls, type TemporalTls } from './config/temporal-tls.ts'
import { readTemporalUi, type TemporalUi } from './config/temporal-ui.ts'

export { Secret }

export type PrivateHostUse = 'git' | 'billing' | 'cloud' | 'webhook' | 'smtp'
export type PrivateHost = { use: PrivateHostUse; host: string; port: number }
export type SandboxKind = 'bubblewrap' | 'process'

export type Config = Readonly<{
  production: boolean
  host: string
  port: number
  /** `GET /metrics` listens here and nowhere else; 0 takes any free port. */
  metricsHost: string
  metricsPort: number
  baseUrl: string | undefined
  /** Where a worker's sandboxes reach the state endpoint; the API's own address unless said. */
  apiUrl: string
  dataDir: string
  cacheDir: string | undefined
  /** Where sandboxes put their work folders; chosen from the data directory unless said. */
  workDir: string | undefined
  /** Of the owner: for migrations and the logins of API and worker, who use it for nothing else. */
  databaseUrl: Secret
  /** Logins of the operator's own, where the owner may make none. */
  databaseAppUrl: Secret | undefined
  databasePlatformUrl: Secret | undefined
  databasePoolSize: number
  temporal: Readonly<{
    address: string
    namespace: string
    tls: TemporalTls | undefined
    apiKey: Secret | undefined
    ui: TemporalUi | undefined
    uiUrl: string | undefined
  }>
  /** Key id → 256-bit key, the current one first. */
  keyring: ReadonlyArray<{ id: string; key: Secret }>
  sandbox: SandboxKind
  tofuBin: string | undefined
  opaBin: string | undefined
  /** An OpenTofu CLI configuration (mirrors, caches) that every run is given. */
  tofuCliConfig: string | undefined
  smtpUrl: Secret | undefined
  mailFrom: string
  extraCaFile: string | undefined
  trustedProxies: readonly string[]
  privateHosts: readonly PrivateHost[]
  /** Requests a minute of a session or API token, of a SCIM token, and of an address where nobody is signed in. */
  rateLimits: Readonly<{ token: number; scim: number; address: number }>
  /**
   * Whether a DNS record must prove a mail domain before it routes sign-ins. `shared`: not set, and
   * so `dns` once there is a second organization.
   */
  domainProof: 'dns' | 'none' | 'shared'
  /** Whether node-saml has to accept each SAML response as well. */
  samlSecondVerifier: boolean
  /** Where DNS is asked, `address` or `address:port`; the system's own unless said. */
  dnsServers: readonly string[]
  tofuSlots: number
  /** The most that a plan may take as JSON. */
  planJsonMaxMb: number
  /** Beyond this much memory the process that handles a run's bytes is ended. */
  runnerMemoryMb: number
  /** How long a worker that is told to stop lets applies under way finish. */
  shutdownGraceSeconds: number
  /** The organization and Owner that are made in an empty store. */
  bootstrap: Readonly<{ organization: string; email: string; password: Secret | undefined }>
  logLevel: string
}>

const uses: readonly string[] = ['git', 'billing', 'cloud', 'webhook', 'smtp']

/**
 * Reads the whole environment once and names every fault at once, so that an
 * operator mends a deployment in one go. Nothing else reads `process.env`.
 */
export function readConfig(env: NodeJS.ProcessEnv = process.env): Config {
  const faults: string[] = []
  const need = (name: string, hint: string): string => {
    const value = env[name]
    if (value) return value
    faults.push(`${name} is not set: ${hint}`)
    return ''
  }
  const number = (name: string, fallback: number): number => {
    const value = env[name]
    if (value === undefined || value === '') return fallback
    const parsed = Number(value)
    if (!Number.isInteger(parsed) || parsed < 0) {
      faults.push(`${name}=${value} is not a whole number`)
      return fallback
    }
    return parsed
  }

  const between = (name: string, fallback: number, [least, most]: [number, number]): number => {
    const value = number(name, fallback)
    if (value >= least && value <= most) return value
    faults.push(`${name}=${value} is not between ${least} and ${most}`)
    return fallback
  }

  const optional = (name: string): Secret | undefined => {
    const value = env[name]
    return value ? new Secret(value) : undefined
  }

  const production = env['NODE_ENV'] === 'production'
  const host = env['CC_HOST'] ?? '127.0.0.1'
  const port = number('CC_PORT', 8080)
  const sandbox = env['CC_SANDBOX'] ?? 'bubblewrap'
  if (sandbox !== 'bubblewrap' && sandbox !== 'process')
    faults.push(`CC_SANDBOX=${sandbox} is neither "bubblewrap" nor "process"`)
  if (production && sandbox === 'process')
    faults.push('CC_SANDBOX=process is refused in production: install bubblewrap and unset it')
  if (production && !env['SMTP_URL'])
    faults.push('SMTP_URL is not set: production sends mail over SMTP (smtps://user:password@host)')

  const config: Config = {
    production,
    host,
    port,
    metricsHost: env['CC_METRICS_HOST'] ?? '127.0.0.1',
    metricsPort: number('CC_METRICS_PORT', 9464),
    baseUrl: readBaseUrl(env['CC_BASE_URL'], faults),
    apiUrl: env['CC_API_URL'] ?? `http://${host.includes(':') ? `[${host}]` : host}:${port}`,
    dataDir: resolve(env['CC_DATA_DIR'] ?? '.data'),
    cacheDir: env['CC_CACHE_DIR'],
    workDir: env['CC_WORK_DIR'] ? resolve(env['CC_WORK_DIR']) : undefined,
    databaseUrl: new Secret(
      readDatabaseUrl(need('DATABASE_URL', `npm start sets it; else ${databaseForm}`), faults),
    ),
    databaseAppUrl: optional('CC_DATABASE_APP_URL'),
    databasePlatformUrl: optional('CC_DATABASE_PLATFORM_URL'),
    databasePoolSize: number('CC_DATABASE_POOL', 10),
    temporal: {
      address: need('TEMPORAL_ADDRESS', 'npm start sets it; else host:7233'),
      namespace: env['TEMPORAL_NAMESPACE'] ?? 'cloud-control',
      tls: readTemporalTls(env, faults),
      apiKey: env['TEMPORAL_API_KEY'] ? new Secret(env['TEMPORAL_API_KEY']) : undefined,
      ui: readTemporalUi(env, faults),
      uiUrl: env['CC_TEMPORAL_UI_URL'],
    },
    keyring: readKeyring(env, faults),
    sandbox: sandbox === 'process' ? 'process' : 'bubblewrap',
    tofuBin: env['CC_TOFU_BIN'],
    opaBin: env['CC_OPA_BIN'],
    tofuCliConfig: env['CC_TOFU_CLI_CONFIG'],
    smtpUrl: optional('SMTP_URL'),
    mailFrom: env['CC_MAIL_FROM'] ?? 'cloud-control <no-reply@localhost>',
    extraCaFile: env['CC_EXTRA_CA_FILE'],
    trustedProxies: (env['CC_TRUSTED_PROXIES'] ?? '').split(',').filter(Boolean),
    privateHosts: readPrivateHosts(env['CC_PRIVATE_HOSTS'] ?? '', faults),
    rateLimits: readRateLimits(env['CC_RATE_LIMITS'] ?? '', faults),
    domainProof: readDomainProof(env['CC_DOMAIN_PROOF'], production, faults),
    samlSecondVerifier: readSecondVerifier(env['CC_SAML_SECOND_VERIFIER'], faults),
    dnsServers: (env['CC_DNS_SERVERS'] ?? '').split(',').filter(Boolean),
    tofuSlots: number('CC_TOFU_SLOTS', 4),
    planJsonMaxMb: between('CC_PLAN_JSON_MAX_MB', 32, [1, 512]),
    runnerMemoryMb: between('CC_RUNNER_MEMORY_MB', 1_024, [256, 65_536]),
    shutdownGraceSeconds: number('CC_SHUTDOWN_GRACE_SECONDS', 300),
    bootstrap: {
      organization: env['CC_BOOTSTRAP_ORG'] ?? 'demo',
      email: env['CC_BOOTSTRAP_EMAIL'] ?? 'owner@demo.example',
      password: optional('CC_BOOTSTRAP_PASSWORD'),
    },
    logLevel: env['CC_LOG_LEVEL'] ?? 'info',
  }
  if (faults.length > 0) throw new ConfigError(faults)
  return Object.freeze(config)
}

export class ConfigError extends Error {
  constructor(faults: string[]) {
    super(
      `The configuration has ${faults.length} fault(s):\n${faults.map((f) => `  - ${f}`).join('\n')}`,
    )
    this.name = 'ConfigError'
  }
}

const databaseForm = 'postgres://user:password@host/db'

/** The database is named: without that it would be the one that is called as whoever logs in. */
function readDatabaseUrl(value: string, faults: string[]): string {
  if (value && !(URL.canParse(value) && new URL(value).pathname.length > 1))
    faults.push(`DATABASE_URL is not ${databaseForm}`)
  return value
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

/** `CC_KEYRING` is `id=base64,id=base64` (32 bytes each), or `@/path` of a file that holds the same. */
function readKeyring(env: NodeJS.ProcessEnv, faults: string[]): Config['keyring'] {
  const setting = env['CC_KEYRING']
  if (!setting) {
    faults.push(
      'CC_KEYRING is not set: id=<32 bytes, base64>, the current key first, or @/path/of/file',
    )
    return []
  }
  let text = setting
  if (setting.startsWith('@')) {
    try {
      text = readFileSync(setting.slice(1), 'utf8')
    } catch {
      faults.push(`CC_KEYRING names ${setting.slice(1)}, which cannot be read`)
      return []
    }
  }
  return text
    .split(/[,\n]/)
    .map((entry) => entry.trim())
    .filter(Boolean)
    .flatMap((entry) => {
      const at = entry.indexOf('=')
      const id = entry.slice(0, at)
      const key = entry.slice(at + 1)
      if (
        at < 1 ||
        !/^[A-Za-z0-9._-]{1,32}$/.test(id) ||
        Buffer.from(key, 'base64').length !== 32
      ) {
        faults.push(`CC_KEYRING: the entry "${id.slice(0, 32)}" is not <id>=<32 bytes in base64>`)
        return []
      }
      return [{ id, key: new Secret(key) }]
    })
}

function readDomainProof(
  value: string | undefined,
  production: boolean,
  faults: string[],
): Config['domainProof'] {
  if (!value) return production ? 'dns' : 'shared'
  if (value === 'dns' || value === 'none') return value
  faults.push(`CC_DOMAIN_PROOF=${value} is neither "dns" nor "none"`)
  return 'dns'
}

function readSecondVerifier(value: string | undefined, faults: string[]): boolean {
  if (value !== undefined && value !== '' && value !== 'none' && value !== 'node-saml')
    faults.push(`CC_SAML_SECOND_VERIFIER=${value} is neither "node-saml" nor "none"`)
  return value === 'node-saml'
}

function readRateLimits(value: string, faults: string[]): Config['rateLimits'] {
  const limits = { token: 6_000, scim: 12_000, address: 1_200 }
  for (const entry of value.split(',').filter(Boolean)) {
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

function readPrivateHosts(value: string, faults: string[]): PrivateHost[] {
  return value
    .split(',')
    .map((entry) => entry.trim())
    .filter(Boolean)
    .flatMap((entry) => {
      const match = /^([a-z]+)=(\[[0-9a-fA-F:]+\]|[^:[\]]+):(\d{1,5})$/.exec(entry)
      if (!match || !uses.includes(match[1] ?? '')) {
        faults.push(
          `CC_PRIVATE_HOSTS: "${entry}" is not use=host:port with a use of ${uses.join(', ')}`,
        )
        return []
      }
      // The pattern and the list above leave no other value than a use.
      const use = match[1] as PrivateHostUse
      return [
        {
          use,
          host: (match[2] ?? '').replace(/^\[|\]$/g, '').toLowerCase(),
          port: Number(match[3]),
        },
      ]
    })
}
