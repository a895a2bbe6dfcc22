import { readObject, writeDurably } from './disk/write-durably.ts'

export type StoredState = {
  /** `CC_AGENT_KEY` of the time when the keys below were trusted. */
  pin?: string
  keys?: readonly { keyId: string; publicKey: string }[]
  /** As the first verified release named it. */
  organization?: { publicId: string; slug: string } | undefined
  /** Given by the service at enrollment. */
  token?: string
  enrolledWith?: string
}

export type AgentState = {
  get(): Readonly<StoredState>
  change(part: StoredState): void
}

/** What the agent remembers beside its releases, in one file that is replaced as a whole. */
export function openAgentState(path: string): AgentState {
  // Written by this file alone.
  let stored = (readObject(path) ?? {}) as StoredState
  return {
    get: () => stored,
    change(part) {
      const changed = { ...stored, ...part }
      writeDurably(path, `${JSON.stringify(changed)}\n`)
      stored = changed
    },
  }
}
