/** Outlive the dialog: a person who closes it after a lost response and opens it again retries the same start. */
const keys = new Map<string, string>()

/**
 * One idempotency key for each start, so that a retry after a lost response does not start a second run.
 * `what` names what is started, such as the destruction of one workspace.
 */
export function useStartKey(what: string) {
  return {
    key: (): string => {
      const key = keys.get(what) ?? newKey()
      keys.set(what, key)
      return key
    },
    renew: () => void keys.delete(what),
  }
}

/** Not `crypto.randomUUID`, which exists only in a secure context (HTTPS or localhost). */
function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}
