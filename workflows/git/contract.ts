/** Ids alone: no token, address or file goes to Temporal. */
export type InitializeRepositoryInput = { organizationId: number; connectionId: number }
export type HydrateWorkspaceInput = { organizationId: number; hydrationId: number }
/** With a pipeline: of its repository, which its connection serves. */
export type RegisterWebhookInput = {
  organizationId: number
  connectionId: number
  pipelineId?: number
}
/** Without `receivedAtMs`: started by an older version. */
export type TakeDeliveryInput = {
  organizationId: number
  deliveryId: number
  receivedAtMs?: number
}
export type WriteCommentInput = { organizationId: number; pullRequestId: number }

export const initializeRepositoryType = 'initializeRepository'
export const hydrateWorkspaceType = 'hydrateWorkspace'
export const registerWebhookType = 'registerWebhook'
export const takeDeliveryType = 'takeDelivery'
export const writeCommentType = 'writePullRequestComment'
export const checkConnectionsType = 'checkGitConnections'
export const checkConnectionsScheduleId = 'git-health'

/** Another id for each claim: a connection that is moved is initialized again. */
export const initializeRepositoryId = (input: InitializeRepositoryInput & { claim: string }) =>
  `org-${input.organizationId}/git-init/${input.connectionId}/${input.claim}`

export const hydrateWorkspaceId = (input: HydrateWorkspaceInput & { attempt: string }) =>
  `org-${input.organizationId}/hydrate/${input.hydrationId}/${input.attempt}`

export const registerWebhookId = (input: RegisterWebhookInput & { place: string }) =>
  `org-${input.organizationId}/git-webhook/${input.connectionId}/${input.place}`

/** Another place for each attempt: a delivery that failed may be sent again. */
export const takeDeliveryId = (input: TakeDeliveryInput & { place: string }) =>
  `org-${input.organizationId}/git-delivery/${input.place}`

export const writeCommentId = (input: WriteCommentInput & { after: string }) =>
  `org-${input.organizationId}/git-comment/${input.pullRequestId}/${input.after}`
