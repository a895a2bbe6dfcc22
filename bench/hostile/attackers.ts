import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { BenchOrganization } from './organization.ts'

/** What the process of the attackers is told first. */
export type AttackersBegin = {
  address: string
  /** Of this host, for the cloud of the attackers. */
  cloudPort: number
  organizations: Array<Pick<BenchOrganization, 'slug' | 'credentials'>>
}
/** Then: begin these attacks of the first so many organizations, or end all of them. */
export type AttackersTask = { attacks: number[]; organizations: number } | 'end'
/** The names of an organization's attacks; then an empty message when the attacks have ended. */
export type AttackersTold = { names?: string[] }

export type Attackers = {
  names: readonly string[]
  /** Repeats the attacks until the function that it returns is called; that awaits their end. */
  strike: (attacks: number[], organizations: number) => () => Promise<void>
  close(): void
}

/**
 * The clients of the hostile organizations, in a process of their own: in that of the quiet tenant
 * their work would be measured as the service's. Its priority is low, because clients of a service
 * do not use its processors. It has a session of its own: Linux shares the CPU between sessions first
 * (sched(7), autogroup), so in the session of the quiet tenant it would take that tenant's share.
 */
export async function startAttackers(begin: AttackersBegin): Promise<Attackers> {
  const child = fork(join(import.meta.dirname, 'attackers-main.ts'), { detached: true })
  const failed = once(child, 'exit').then(([code]) => {
    throw new Error(`the attackers ended with code ${String(code)}`)
  })
  // Awaited by those who wait for an answer.
  failed.catch(() => undefined)
  const next = async (): Promise<AttackersTold> => {
    const [told] = await Promise.race([once(child, 'message'), failed])
    return told as AttackersTold
  }
  child.send(begin)
  const { names = [] } = await next()
  const send = (task: AttackersTask) => void child.send(task)
  return {
    names,
    strike(attacks, organizations) {
      send({ attacks, organizations })
      return async () => {
        const ended = next()
        send('end')
        await ended
      }
    },
    close: () => void child.kill('SIGKILL'),
  }
}
