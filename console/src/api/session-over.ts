import { focusManager } from '@tanstack/react-query'

/** Whether the session ended while somebody looked, and how often one was begun anew since. */
type Session = { over: boolean; turn: number }

let session: Session = { over: false, turn: 0 }
const listeners = new Set<() => void>()

export const sessionState = (): Session => session

export function onSession(listener: () => void): () => void {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

const become = (next: Session) => {
  session = next
  for (const listener of listeners) listener()
}

/** Nothing is asked for on a timer until somebody is signed in again: each answer would be the same refusal. */
export function sessionIsOver(): void {
  if (session.over) return
  focusManager.setFocused(false)
  become({ ...session, over: true })
}

export function sessionIsBack(): void {
  if (!session.over) return
  focusManager.setFocused(undefined)
  become({ over: false, turn: session.turn + 1 })
}
