import { unavailable } from '../../domain/errors.ts'

export type TurnLimits = {
  atOnce: number
  ofOrganization: number
  /** Per organization, so that one cannot fill the queue. */
  waiting: number
}

export type Turns = {
  /**
   * Waits for a place for large work. An organization has a limited number of places, so one that keeps asking leaves
   * the rest to others. Call the returned function at the end.
   */
  take(organizationId: number): Promise<() => void>
}

type Waiting = { organizationId: number; begin: () => void }

export function createTurns({ atOnce, ofOrganization, waiting: mayWait }: TurnLimits): Turns {
  const running: number[] = []
  let waiting: Waiting[] = []
  const countOf = (organizationId: number, all: readonly number[]) =>
    all.filter((one) => one === organizationId).length

  const beginNext = (): void => {
    if (running.length >= atOnce) return
    const next = waiting.find((one) => countOf(one.organizationId, running) < ofOrganization)
    if (!next) return
    waiting = waiting.filter((one) => one !== next)
    running.push(next.organizationId)
    next.begin()
  }

  return {
    async take(organizationId) {
      const before = waiting.map((one) => one.organizationId)
      if (countOf(organizationId, before) >= mayWait)
        throw unavailable(
          'busy',
          'Too many large states of your organization are being read. Try again in a minute.',
        )
      await new Promise<void>((begin) => {
        waiting.push({ organizationId, begin })
        beginNext()
      })
      return () => {
        running.splice(running.indexOf(organizationId), 1)
        beginNext()
      }
    },
  }
}
