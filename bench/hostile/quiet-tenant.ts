import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Platform } from '../start-platform.ts'
import { makeOrganization, type BenchOrganization } from './organization.ts'

export type Watched = {
  /** The time of each answer of the API to the quiet tenant. */
  apiMs: number[]
  /** The time from the start of a run to its end. */
  runMs: number[]
  /** Faults: a run that did not succeed, or an error answer. */
  faults: string[]
  /** Runs that failed as a run does whose process was killed, each from its start to its end. */
  lost: Array<{ id: number; from: number; to: number }>
}

export type QuietTenant = {
  /** Reads pages and applies for this time, beside the attacks. */
  watch(forMs: number): Promise<Watched>
  close(): void
}

/** What the process of the quiet tenant is told first; then how long to watch, each time. */
export type QuietBegin = {
  address: string
  credentials: BenchOrganization['credentials']
  kills: boolean
}
/** An empty message when it is ready; then what it has watched. */
export type QuietTold = { watched?: Watched }

/**
 * A tenant that reads pages and applies small and long changes, one after the other. Its client is a process of its
 * own with a share of the CPU that the attacks cannot take: a client of a service does not wait for its processors.
 */
export async function quietTenant(platform: Platform, kills = false): Promise<QuietTenant> {
  const { credentials } = await makeOrganization(platform, 'quiet')
  const child = fork(join(import.meta.dirname, 'quiet-main.ts'), { detached: true })
  const failed = once(child, 'exit').then(([code]) => {
    throw new Error(`the quiet tenant ended with code ${String(code)}`)
  })
  // Awaited by those who wait for an answer.
  failed.catch(() => undefined)
  const next = async (): Promise<QuietTold> => {
    const [told] = await Promise.race([once(child, 'message'), failed])
    return told as QuietTold
  }
  const begin: QuietBegin = { address: platform.address, credentials, kills }
  child.send(begin)
  await next()
  return {
    async watch(forMs) {
      const told = next()
      child.send(forMs)
      const { watched } = await told
      if (!watched) throw new Error('the quiet tenant has watched nothing')
      return watched
    },
    close: () => void child.kill('SIGKILL'),
  }
}
