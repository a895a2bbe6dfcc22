export const scimBasePath = '/api/scim/v2'

/** Whether an address or a route's pattern is of the SCIM surface, which has errors of its own. */
export const isScimAddress = (url: string): boolean =>
  url === scimBasePath || /^\/api\/scim\/v2[/?]/.test(url)
