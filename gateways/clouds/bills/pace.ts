import { CloudFault } from '../cloud-fault.ts'

/** What a storage sends of the files of one bill. */
export type Pace = {
  /** A file is begun. */
  begin(): void
  add(bytes: number): void
  /** Throws where the storage has sent too little for its time since the last check. */
  check(): void
  /** Waits for something of ours, whose time is not the storage's. */
  rest<T>(wait: () => Promise<T>): Promise<T>
}

const perSecond = 64 * 1024
/** Of a request for a file, however small it is. */
const requestSeconds = 5
/** A shorter time says nothing. One try takes two minutes at most (`pieceTimeoutMs`). */
const windowSeconds = 60

/** A storage that hardly sends anything would hold its place for hours, of the few that a worker has for bills. */
export function createPace(now = () => performance.now()): Pace {
  let begunAt = now()
  let bytes = 0
  return {
    begin() {
      bytes += requestSeconds * perSecond
    },
    add(more) {
      bytes += more
    },
    check() {
      const seconds = (now() - begunAt) / 1_000
      if (seconds < windowSeconds) return
      const isSlow = bytes < seconds * perSecond
      begunAt = now()
      bytes = 0
      if (isSlow)
        throw new CloudFault(
          'unreachable',
          'The storage sends less than 64 KiB a second. Check its endpoint, and what limits it.',
        )
    },
    async rest(wait) {
      const restedAt = now()
      try {
        return await wait()
      } finally {
        begunAt += now() - restedAt
      }
    },
  }
}
