/** When the approval of a run that begins to wait `now` expires, by the organization's settings. */
export const approvalExpiry = (
  { approvalExpiryHours }: { approvalExpiryHours: number },
  now: Date,
): Date => new Date(now.getTime() + approvalExpiryHours * 3_600_000)
