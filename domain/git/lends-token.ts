/** States of a connection in which its token is valid: `initializing` and `error` are about the branch. */
const valid = new Set(['healthy', 'initializing', 'error'])

/** Why the token of a connection is not used, in words; undefined if it is. */
export const whyNoToken = ({
  id,
  status,
  statusReason,
}: {
  id: number
  status: string
  statusReason: string | null
}): string | undefined =>
  valid.has(status)
    ? undefined
    : `Git connection ${id} is ${status}${statusReason ? `: ${statusReason}` : '.'}`
