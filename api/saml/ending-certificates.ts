import type { Tenant } from '../../store/driver/tenant.ts'
import { certificateState } from '../../domain/saml/certificate-state.ts'
import { samlConfigurations } from '../../store/saml/saml-configurations.ts'

export type EndingCertificate = {
  fingerprint: string
  notAfter: string
  state: 'expiring' | 'expired'
}

/** Certificates of an enabled identity provider that end soon or have ended. */
export async function endingCertificates(tenant: Tenant): Promise<EndingCertificate[]> {
  const now = new Date()
  const enabled = await samlConfigurations(tenant).enabledCertificates()
  return enabled.flatMap(({ fingerprint, notBefore, notAfter }) => {
    const state = certificateState({ notBefore, notAfter }, now)
    return state === 'expiring' || state === 'expired'
      ? [{ fingerprint, notAfter: notAfter.toISOString(), state }]
      : []
  })
}
