/** Ids alone: no name, region or page token of a cloud goes to Temporal. */
export type SyncAccountInput = { organizationId: number; syncId: number }
export type SyncPlaceInput = SyncAccountInput & { placeId: number }
/** What one call of `lookAtPlace` answers: `more` until the place was looked at as a whole. */
export type Looked = 'more' | 'done'

export const syncAccountType = 'syncAccount'
export const syncAccountId = (input: SyncAccountInput) =>
  `org-${input.organizationId}/cloud-sync/${input.syncId}`
