import { unavailable } from '../../domain/errors.ts'

export type TurnLimits = {
  atOnce: number
  ofOrganization: number
  /** Per organization, so that one cannot fill the queue. */
  waiting: number
  /** What one more that would have to wait is told. */
  busy?: string
}

/** `Key` names the organization, or what stands for it where it is not known. */
export type Turns<Key = number> = {
  /**
   * Waits for a place for large work. An organization has a limited number of places, so one that keeps asking leaves
   * the rest to others. Call the returned function at the end.
   */
  take(organizationId: Key): Promise<() => void>
}

type Waiting<Key> = { organizationId: Key; begin: () => void }

const tooManyStates =
  'Too many large states of your organization are being read. Try again in a minute.'

export function createTurns<Key = number>(limits: TurnLimits): Turns<Key> {
  const { atOnce, ofOrganization, waiting: mayWait, busy = tooManyStates } = limits
  const running: Key[] = []
  let waiting: Array<Waiting<Key>> = []
  const countOf = (organizationId: Key, all: readonly Key[]) =>
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
      if (countOf(organizationId, before) >= mayWait) throw unavailable('busy', busy)
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
