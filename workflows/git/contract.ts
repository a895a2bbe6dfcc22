/** Ids alone: no token, no address and no file is told to the engine. */
export type InitializeRepositoryInput = { organizationId: number; connectionId: number }
export type HydrateWorkspaceInput = { organizationId: number; hydrationId: number }

export const initializeRepositoryType = 'initializeRepository'
export const hydrateWorkspaceType = 'hydrateWorkspace'
export const checkConnectionsType = 'checkGitConnections'
export const checkConnectionsScheduleId = 'git-health'

/** A place of its own for each claim: a connection that is led elsewhere is initialized anew. */
export const initializeRepositoryId = (input: InitializeRepositoryInput & { claim: string }) =>
  `org-${input.organizationId}/git-init/${input.connectionId}/${input.claim}`

export const hydrateWorkspaceId = (input: HydrateWorkspaceInput & { attempt: string }) =>
  `org-${input.organizationId}/hydrate/${input.hydrationId}/${input.attempt}`
