import { focusManager } from '@tanstack/react-query'

/**
 * `over`: the session ended while the page was open. `turn` counts the sign-ins on this page since then.
 * `ofAnother`: another person signed in, so the page is left, with what the first person typed.
 */
type Session = { over: boolean; turn: number; ofAnother: boolean }

let session: Session = { over: false, turn: 0, ofAnother: false }
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

/** Stops all polling until the next sign-in, because each request would be refused with 401. */
export function sessionIsOver(): void {
  if (session.over) return
  focusManager.setFocused(false)
  become({ ...session, over: true })
}

export function sessionIsBack(): void {
  if (!session.over) return
  focusManager.setFocused(undefined)
  become({ over: false, turn: session.turn + 1, ofAnother: false })
}

/** The page stays covered until it is left. No question of the browser may keep it open. */
export function sessionIsOfAnother(): void {
  become({ ...session, ofAnother: true })
}
