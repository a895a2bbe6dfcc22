import { spawnSync } from 'node:child_process'
import { resolve } from 'node:path'

export type StartSettings = {
  production: boolean
  demo: boolean
  host: string
  port: number
  dataDir: string
  cacheDir: string | undefined
  namespace: string
  embeds: { database: boolean; temporal: boolean; keyring: boolean }
  sandbox: 'bubblewrap' | 'process'
  /** The warning to print if the sandbox is not bubblewrap. */
  sandboxNotice: string | undefined
}

/** Reads the settings of `npm start`. Reports all faults at once. Production refuses embedded services. */
export function readStartSettings(
  env: NodeJS.ProcessEnv,
  words: readonly string[],
): StartSettings | { faults: string[] } {
  const production = env['NODE_ENV'] === 'production'
  const faults = words
    .filter((word) => word !== '--demo')
    .map((word) => `${word} is not an option: npm start knows --demo alone`)
  const port = Number(env['CC_PORT'] || 8080)
  if (!Number.isInteger(port) || port < 1 || port > 65_535)
    faults.push(`CC_PORT=${env['CC_PORT']} is not a port`)

  const missing = production ? missingBubblewrap(env) : undefined
  if (production) {
    const wanted = {
      DATABASE_URL:
        'the embedded PostgreSQL is not for production (postgres://user:password@host/db)',
      TEMPORAL_ADDRESS: 'the embedded Temporal is not for production (host:7233)',
      CC_KEYRING:
        'a generated key is not for production (id=<32 bytes, base64>, or @/path/of/file)',
      SMTP_URL: 'production sends mail over SMTP (smtps://user:password@host)',
    }
    for (const [name, why] of Object.entries(wanted))
      if (!env[name]) faults.push(`${name} is not set: ${why}`)
    if (env['CC_SANDBOX'] === 'process')
      faults.push('CC_SANDBOX=process is refused in production: install bubblewrap and unset it')
    else if (missing) faults.push(`${missing}, which production runs every plan and build in`)
  }
  if (faults.length > 0) return { faults }

  return {
    production,
    demo: words.includes('--demo'),
    host: env['CC_HOST'] || '127.0.0.1',
    port,
    dataDir: resolve(env['CC_DATA_DIR'] || '.data'),
    cacheDir: env['CC_CACHE_DIR'],
    namespace: env['TEMPORAL_NAMESPACE'] || 'cloud-control',
    embeds: {
      database: !env['DATABASE_URL'],
      temporal: !env['TEMPORAL_ADDRESS'],
      keyring: !env['CC_KEYRING'],
    },
    ...chooseSandbox(env),
  }
}

type Sandbox = Pick<StartSettings, 'sandbox' | 'sandboxNotice'>

function chooseSandbox(env: NodeJS.ProcessEnv): Sandbox {
  if (env['CC_SANDBOX'] === 'bubblewrap') return { sandbox: 'bubblewrap', sandboxNotice: undefined }
  const why = env['CC_SANDBOX'] === 'process' ? 'CC_SANDBOX=process is set' : missingBubblewrap(env)
  if (!why) return { sandbox: 'bubblewrap', sandboxNotice: undefined }
  return {
    sandbox: 'process',
    sandboxNotice: `sandbox: ${why}, so plans and builds run as plain processes (CC_SANDBOX=process): not for code that you do not trust`,
  }
}

/** The reason why bubblewrap cannot be used, with the remedy. Undefined if it works. */
function missingBubblewrap(env: NodeJS.ProcessEnv): string | undefined {
  const probe = ['--ro-bind', '/', '/', '--unshare-user', '--unshare-pid', '/bin/true']
  const { status, error, stderr } = spawnSync('bwrap', probe, {
    env,
    encoding: 'utf8',
    timeout: 10_000,
  })
  if (error && 'code' in error && error.code === 'ENOENT')
    return 'bubblewrap is missing (apt-get install bubblewrap)'
  if (status === 0) return undefined
  const reason = (error?.message ?? stderr).trim().split('\n')[0]
  return `bubblewrap does not work here (${reason}; it needs unprivileged user namespaces)`
}
