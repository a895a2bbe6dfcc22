/** An identity provider, known by its token. It has an Org Admin's power over people and groups (decisions §2). */
export type ScimCaller = {
  organizationId: number
  tokenId: number
  tokenName: string
  ip: string
  requestId: string
}
