import type { EndorsedKey } from '../domain/signing/endorsement.ts'
import { readObject, writeDurably } from './disk/write-durably.ts'

export type StoredState = {
  /** `CC_AGENT_KEY` of the time when the keys below were trusted. */
  pin?: string
  /** With their endorsements: each use follows them from the pin again. */
  keys?: readonly EndorsedKey[]
  /** As the first verified release named it. */
  organization?: { publicId: string; slug: string } | undefined
  /** As the first verified order named it. */
  workspaceId?: number | undefined
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
