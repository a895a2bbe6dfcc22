/** An identity provider, identified by its token. It has an Org Admin's power over people and groups. */
export type ScimCaller = {
  organizationId: number
  tokenId: number
  tokenName: string
  ip: string
  requestId: string
}
