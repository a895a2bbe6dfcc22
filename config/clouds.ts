import type { Environment } from './environment.ts'

/** What cloud accounts trust: the issuer of tokens, and this installation's own AWS identity. */
export type CloudsConfig = Readonly<{
  /** The public address of the issuers, without a path. Default: the service's own address. */
  oidcIssuer: string | undefined
  /** With which AWS identity roles are assumed by external id; `none`: by web identity alone. */
  awsIdentity: 'none' | 'environment' | 'instance'
}>

export function readClouds({ values, faults }: Environment): CloudsConfig {
  return {
    oidcIssuer: readIssuer(values['CC_OIDC_ISSUER'], faults),
    awsIdentity: readAwsIdentity(values['CC_AWS_IDENTITY'], faults),
  }
}

/** A static host may serve the documents below a folder, so a path is allowed. */
function readIssuer(value: string | undefined, faults: string[]): string | undefined {
  if (!value) return undefined
  const url = URL.canParse(value) ? new URL(value) : undefined
  const isPlain = url && url.search === '' && url.hash === '' && url.username === ''
  if (url && isPlain && /^https?:$/.test(url.protocol))
    return `${url.origin}${url.pathname.replace(/\/+$/, '')}`
  faults.push(`CC_OIDC_ISSUER=${value} is not an address as https://id.example.com`)
  return undefined
}

function readAwsIdentity(value: string | undefined, faults: string[]): CloudsConfig['awsIdentity'] {
  if (!value || value === 'none') return 'none'
  if (value === 'environment' || value === 'instance') return value
  faults.push(`CC_AWS_IDENTITY=${value} is neither "none" nor "environment" nor "instance"`)
  return 'none'
}
