/** The credential of an agent: one host of one workspace, or a join, which only enrolls hosts. */
export type AgentCaller = {
  organizationId: number
  organizationSlug: string
  organizationStatus: 'active' | 'suspended'
  workspaceId: number
  agentId: number
  name: string
  kind: 'host' | 'join'
  tokenId: number
  ip: string
  requestId: string
}
