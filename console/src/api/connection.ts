/** Whether the service answers, for the one banner that says so. */
let up = true
const listeners = new Set<() => void>()

export const isUp = (): boolean => up

export function reportConnection(answered: boolean): void {
  if (up === answered) return
  up = answered
  for (const listener of listeners) listener()
}

export function onConnection(listener: () => void): () => void {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}
