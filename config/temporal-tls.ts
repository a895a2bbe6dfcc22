import { createPrivateKey, X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { Secret } from './secret.ts'

export type TemporalTls = Readonly<{
  /** The CA that must have issued the server's certificate. Default: the system's CAs. */
  ca: Buffer | undefined
  /** The name that the server's certificate must have. Default: the host of the address. */
  serverName: string | undefined
  /** The client certificate for mutual TLS. */
  client: Readonly<{ certificate: Buffer; key: Secret }> | undefined
}>

const names = {
  cert: 'TEMPORAL_TLS_CERT_FILE',
  key: 'TEMPORAL_TLS_KEY_FILE',
  ca: 'TEMPORAL_TLS_CA_FILE',
  server: 'TEMPORAL_TLS_SERVER_NAME',
}

/** TLS to Temporal. `TEMPORAL_TLS=true`, an API key or any TLS setting turns it on. */
export function readTemporalTls(env: NodeJS.ProcessEnv, faults: string[]): TemporalTls | undefined {
  const set = Object.values(names).filter((name) => env[name])
  if (env['TEMPORAL_TLS'] === 'false' && set.length > 0)
    faults.push(`TEMPORAL_TLS=false leaves ${set.join(', ')} without use: unset one of them`)
  const isOn = env['TEMPORAL_TLS'] === 'true' || env['TEMPORAL_API_KEY'] !== undefined
  if (!isOn && set.length === 0) return undefined

  const read = (name: string): Buffer | undefined => {
    const path = env[name]
    if (!path) return undefined
    try {
      return readFileSync(path)
    } catch {
      faults.push(`${name} names ${path}, which cannot be read`)
      return undefined
    }
  }
  const certificate = read(names.cert)
  const key = read(names.key)
  if (Boolean(env[names.cert]) !== Boolean(env[names.key]))
    faults.push(`${names.cert} and ${names.key} are set together or not at all`)
  if (certificate && key && !isPair(certificate, key))
    faults.push(`${names.key} is not the key of the certificate in ${names.cert}, both PEM`)
  return {
    ca: read(names.ca),
    serverName: env[names.server] || undefined,
    client: certificate && key ? { certificate, key: new Secret(key.toString()) } : undefined,
  }
}

function isPair(certificate: Buffer, key: Buffer): boolean {
  try {
    return new X509Certificate(certificate).checkPrivateKey(createPrivateKey(key))
  } catch {
    return false
  }
}
