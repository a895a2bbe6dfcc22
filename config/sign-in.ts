import type { Environment } from './environment.ts'
import type { Secret } from './secret.ts'

/** The first Owner, and the proofs that single sign-on requires. */
export type SignInConfig = Readonly<{
  /**
   * Whether a DNS record must prove a mail domain before the domain routes sign-ins. `shared` is the
   * default outside production: it acts as `none` until there is a second organization, then as `dns`.
   */
  domainProof: 'dns' | 'none' | 'shared'
  /** Whether node-saml must also accept each SAML response. On unless the operator turns it off. */
  samlSecondVerifier: boolean
  /** The organization and the Owner that the first start creates in an empty database. */
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
