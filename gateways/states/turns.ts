import { unavailable } from '../../domain/errors.ts'

/** Each may take a gigabyte for a moment. */
const maxAtOnce = 3
const maxWaiting = 100

type Waiting = { organizationId: number; begin: () => void }

const running: number[] = []
let waiting: Waiting[] = []

/**
 * Waits for one of the places for work that is large. An organization has one of them at a time, so
 * one that sends states without end leaves the other place to the rest. Call what it resolves to at
 * the end.
 */
export async function takeTurn(organizationId: number): Promise<() => void> {
  if (waiting.length >= maxWaiting)
    throw unavailable('busy', 'Too many large states are being read. Try again in a minute.')
  await new Promise<void>((begin) => {
    waiting.push({ organizationId, begin })
    beginNext()
  })
  return () => {
    running.splice(running.indexOf(organizationId), 1)
    beginNext()
  }
}

function beginNext(): void {
  if (running.length >= maxAtOnce) return
  const next = waiting.find(({ organizationId }) => !running.includes(organizationId))
  if (!next) return
  waiting = waiting.filter((one) => one !== next)
  running.push(next.organizationId)
  next.begin()
}
