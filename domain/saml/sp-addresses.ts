export type SpAddresses = {
  entityId: string
  metadataUrl: string
  acsUrl: string
  sloUrl: string
}

/**
 * This service's names and addresses towards an identity provider. Each organization has an entity ID of
 * its own: it is the audience, which separates organizations that share a provider. The endpoints are
 * the same for all, because some providers append their query to them blindly.
 */
export function spAddresses(origin: string, slug?: string): SpAddresses {
  const saml = `${origin}/api/auth/saml`
  const query = slug === undefined ? '' : `?org=${encodeURIComponent(slug)}`
  const metadataUrl = `${saml}/metadata${query}`
  return { entityId: metadataUrl, metadataUrl, acsUrl: `${saml}/acs`, sloUrl: `${saml}/slo` }
}
