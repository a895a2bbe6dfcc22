import type { Config } from '../../config.ts'

/** The connection options of clients and workers. */
export function connectionOptions({ temporal }: { temporal: Connecting }) {
  return {
    address: temporal.address,
    ...(temporal.tls && { tls: tlsOf(temporal.tls) }),
    ...(temporal.apiKey && { apiKey: temporal.apiKey.reveal() }),
  }
}

type Connecting = Pick<Config['temporal'], 'address' | 'tls'> & Partial<Config['temporal']>
type Tls = NonNullable<Config['temporal']['tls']>

function tlsOf({ ca, serverName, client }: Tls) {
  return {
    ...(ca && { serverRootCACertificate: ca }),
    ...(serverName !== undefined && { serverNameOverride: serverName }),
    ...(client && {
      clientCertPair: { crt: client.certificate, key: Buffer.from(client.key.reveal()) },
    }),
  }
}
