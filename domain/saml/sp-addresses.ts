export type SpAddresses = {
  entityId: string
  metadataUrl: string
  acsUrl: string
  sloUrl: string
}

/**
 * What this service is called towards an identity provider. The entity ID is one for each
 * organization: it is the audience, and so the wall between organizations that share an
 * identity provider. The endpoints are the same for all, as some providers append their
 * query to them blindly.
 */
export function spAddresses(origin: string, slug?: string): SpAddresses {
  const saml = `${origin}/api/auth/saml`
  const query = slug === undefined ? '' : `?org=${encodeURIComponent(slug)}`
  const metadataUrl = `${saml}/metadata${query}`
  return { entityId: metadataUrl, metadataUrl, acsUrl: `${saml}/acs`, sloUrl: `${saml}/slo` }
}
