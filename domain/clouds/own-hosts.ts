import type { CloudProvider } from './cloud-account.ts'

/**
 * Names of hosts at which the clouds' own APIs answer. Not whole domains: under `amazonaws.com`
 * anybody can have a host, such as `<id>.execute-api.<region>.amazonaws.com`.
 */
const ownHosts: Record<CloudProvider, readonly RegExp[]> = {
  aws: [
    /^(sts|tagging|resource-explorer-2|ec2|organizations|s3)(-fips)?(\.dualstack)?(\.[a-z0-9-]+)?\.(amazonaws\.com(\.cn)?|api\.aws)$/,
    // An interface endpoint of the service itself. One of another provider is below `vpce-svc-…`.
    /^vpce-[a-z0-9-]+\.(sts|tagging|ec2|s3)\.[a-z0-9-]+\.vpce\.amazonaws\.com(\.cn)?$/,
  ],
  azure: [
    /^login\.(microsoftonline\.(com|us)|partner\.microsoftonline\.cn|chinacloudapi\.cn)$/,
    /^management\.(azure\.com|usgovcloudapi\.net|chinacloudapi\.cn)$/,
    /^[a-z0-9]{3,24}\.blob\.core\.(windows\.net|usgovcloudapi\.net|chinacloudapi\.cn)$/,
  ],
  gcp: [
    /^(sts|iamcredentials|oauth2|cloudasset|cloudresourcemanager|storage|bigquery|www)(\.[a-z0-9-]+\.rep)?\.googleapis\.com$/,
  ],
}

export const isOwnHost = (provider: CloudProvider, host: string): boolean =>
  ownHosts[provider].some((own) => own.test(host.toLowerCase()))
