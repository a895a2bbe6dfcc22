/** Whether the service answers, for the one banner that says so. */
function createConnection() {
  let up = true
  const listeners = new Set<() => void>()
  return {
    isUp: () => up,
    report(answered: boolean) {
      if (up === answered) return
      up = answered
      for (const listener of listeners) listener()
    },
    subscribe(listener: () => void) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}

export const connection = createConnection()
