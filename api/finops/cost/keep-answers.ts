type Limits = {
  /** Of all organizations. */
  maxBytes: number
  /** Of one of them. */
  maxBytesOfOne: number
  /** A larger answer is made for each request. */
  maxBytesAnAnswer: number
}
type Entry = { answer: Promise<string>; bytes: number }
/** The answers of one organization, the least recently used first. */
type Share = { entries: Map<string, Entry>; bytes: number }

/** Thrown in the making of an answer that holds for the requests that wait for it alone. */
export class PassingAnswer extends Error {
  readonly answer: string
  constructor(answer: string) {
    super('an answer that is not kept')
    this.name = 'PassingAnswer'
    this.answer = answer
  }
}

/** The answer, and whether it is a passing one. */
export async function answerOrPassing(
  answer: Promise<string>,
): Promise<{ answer: string; isPassing: boolean }> {
  try {
    return { answer: await answer, isPassing: false }
  } catch (error) {
    if (error instanceof PassingAnswer) return { answer: error.answer, isPassing: true }
    throw error
  }
}

/**
 * Answers of this process by their ETag, which names all that an answer depends on: an answer is never
 * changed, only no longer asked for. Two requests for one answer share its making. Past a limit the least
 * recently used go first, of the organization that holds most: none can drive out all answers of another.
 */
export function keepAnswers({ maxBytes, maxBytesOfOne, maxBytesAnAnswer }: Limits) {
  const shares = new Map<number, Share>()
  let bytes = 0

  const forget = (organizationId: number, key: string) => {
    const share = shares.get(organizationId)
    const freed = share?.entries.get(key)?.bytes ?? 0
    share?.entries.delete(key)
    if (share) share.bytes -= freed
    bytes -= freed
    if (share?.entries.size === 0) shares.delete(organizationId)
  }

  const forgetOldest = (organizationId: number) => {
    for (const [key, entry] of shares.get(organizationId)?.entries ?? [])
      // One that is still being made frees nothing.
      if (entry.bytes > 0) return forget(organizationId, key)
  }

  const largest = (): number => {
    let [found, most] = [0, -1]
    for (const [organizationId, share] of shares)
      if (share.bytes > most) [found, most] = [organizationId, share.bytes]
    return found
  }

  return async (
    organizationId: number,
    key: string,
    make: () => Promise<string>,
  ): Promise<string> => {
    const share = shares.get(organizationId) ?? { entries: new Map<string, Entry>(), bytes: 0 }
    const found = share.entries.get(key)
    if (found) {
      share.entries.delete(key)
      share.entries.set(key, found)
      return found.answer
    }
    const entry = { answer: make(), bytes: 0 }
    shares.set(organizationId, share)
    share.entries.set(key, entry)
    try {
      const answer = await entry.answer
      const size = 2 * (answer.length + key.length)
      if (size > maxBytesAnAnswer) forget(organizationId, key)
      else {
        entry.bytes = size
        share.bytes += size
        bytes += size
        while (share.bytes > maxBytesOfOne) forgetOldest(organizationId)
        while (bytes > maxBytes) forgetOldest(largest())
      }
      return answer
    } catch (error) {
      forget(organizationId, key)
      throw error
    }
  }
}
