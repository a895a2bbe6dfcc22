import type { Environment } from './environment.ts'
import type { Secret } from './secret.ts'

/** `artifacts` is opened by `CC_ARTIFACT_STORE` itself, for its endpoint alone. */
export type PrivateHostUse =
  | 'git'
  | 'billing'
  | 'cloud'
  | 'webhook'
  | 'smtp'
  | 'probe'
  | 'artifacts'
export type PrivateHost = { use: PrivateHostUse; host: string; port: number }

/** Outgoing connections: certificates, private hosts, DNS and mail. */
export type OutboundConfig = Readonly<{
  extraCaFile: string | undefined
  privateHosts: readonly PrivateHost[]
  /** DNS servers, `address` or `address:port`. Default: the system's. */
  dnsServers: readonly string[]
  smtpUrl: Secret | undefined
  mailFrom: string
}>

export function readOutbound({
  values,
  production,
  faults,
  secret,
  list,
}: Environment): OutboundConfig {
  if (production && !values['SMTP_URL'])
    faults.push('SMTP_URL is not set: production sends mail over SMTP (smtps://user:password@host)')
  return {
    extraCaFile: values['CC_EXTRA_CA_FILE'],
    privateHosts: readPrivateHosts(list('CC_PRIVATE_HOSTS'), faults),
    dnsServers: list('CC_DNS_SERVERS'),
    smtpUrl: secret('SMTP_URL'),
    mailFrom: values['CC_MAIL_FROM'] ?? 'cloud-control <no-reply@localhost>',
  }
}

const uses: readonly string[] = ['git', 'billing', 'cloud', 'webhook', 'smtp', 'probe']

function readPrivateHosts(entries: readonly string[], faults: string[]): PrivateHost[] {
  return entries
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
      // Checked above: it is in `uses`.
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
