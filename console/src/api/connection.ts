/** Whether the last request reached the service. The banner of the shell shows it. */
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
