import type { Environment } from './environment.ts'
import type { Secret } from './secret.ts'

/** The first Owner, and what single sign-on has to prove. */
export type SignInConfig = Readonly<{
  /**
   * Whether a DNS record must prove a mail domain before it routes sign-ins. `shared`: not set, and
   * so `dns` once there is a second organization.
   */
  domainProof: 'dns' | 'none' | 'shared'
  /** Whether node-saml has to accept each SAML response as well: so unless the operator turns it off. */
  samlSecondVerifier: boolean
  /** The organization and Owner that are made in an empty store. */
  bootstrap: Readonly<{ organization: string; email: string; password: Secret | undefined }>
}>

export function readSignIn({ values, production, faults, secret }: Environment): SignInConfig {
  return {
    domainProof: readDomainProof(values['CC_DOMAIN_PROOF'], production, faults),
    samlSecondVerifier: readSecondVerifier(values['CC_SAML_SECOND_VERIFIER'], faults),
    bootstrap: {
      organization: values['CC_BOOTSTRAP_ORG'] ?? 'demo',
      email: values['CC_BOOTSTRAP_EMAIL'] ?? 'owner@demo.example',
      password: secret('CC_BOOTSTRAP_PASSWORD'),
    },
  }
}

function readDomainProof(
  value: string | undefined,
  production: boolean,
  faults: string[],
): SignInConfig['domainProof'] {
  if (!value) return production ? 'dns' : 'shared'
  if (value === 'dns' || value === 'none') return value
  faults.push(`CC_DOMAIN_PROOF=${value} is neither "dns" nor "none"`)
  return 'dns'
}

function readSecondVerifier(value: string | undefined, faults: string[]): boolean {
  if (value !== undefined && value !== '' && value !== 'none' && value !== 'node-saml')
    faults.push(`CC_SAML_SECOND_VERIFIER=${value} is neither "node-saml" nor "none"`)
  return value !== 'none'
}
