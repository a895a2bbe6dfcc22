/** The issuer of an organization: an address of its own, so that no other's tokens are accepted. */
export const issuerAddress = (origin: string, publicId: string): string =>
  `${origin}/oidc/${publicId}`

/** OpenID Connect Discovery 1.0, section 3, as far as an issuer without a sign-in page has it. */
export const discoveryDocument = (issuer: string) => ({
  issuer,
  jwks_uri: `${issuer}/jwks.json`,
  response_types_supported: ['id_token'],
  subject_types_supported: ['public'],
  id_token_signing_alg_values_supported: ['RS256'],
  scopes_supported: ['openid'],
  claims_supported: ['iss', 'sub', 'aud', 'iat', 'exp', 'jti', 'org_id', 'workspace_id', 'run_id'],
})
