import { writeFileSync } from 'node:fs'
import { setPriority } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { signIn } from '../call-api.ts'
import type { AttackersBegin, AttackersTask, AttackersTold } from './attackers.ts'
import { makeAttacks, type Attack } from './attacks.ts'
import { serveGiantCloud } from './giant-cloud.ts'

/** Of processes from -20 to 19, in which more gives way. */
const niceness = 10
setPriority(niceness)
try {
  // Of the session among all sessions, where the kernel shares the CPU by sessions.
  writeFileSync('/proc/self/autogroup', String(niceness))
} catch {
  // This kernel does not share by sessions, so the priority of the process is what counts.
}

const tell = (told: AttackersTold) => void process.send?.(told)
let ofEach: Attack[][] = []
let over = new AbortController()
let striking: Array<Promise<void>> = []

process.once('message', (begin: AttackersBegin) => {
  void prepare(begin).then(() => {
    process.on('message', (task: AttackersTask) => void take(task))
    tell({ names: ofEach[0]?.map(({ name }) => name) ?? [] })
  })
})
process.on('disconnect', () => process.exit())

async function prepare(begin: AttackersBegin): Promise<void> {
  const { address, cloudPort, organizations } = begin
  await serveGiantCloud(cloudPort)
  ofEach = await Promise.all(
    organizations.map(async ({ slug, credentials }) => {
      const client = await signIn(address.replace(/\/api$/, ''), credentials)
      return makeAttacks({ address, cloudPort, organization: { slug, credentials, ...client } })
    }),
  )
}

async function take(task: AttackersTask): Promise<void> {
  if (task === 'end') {
    over.abort()
    await Promise.all(striking)
    return tell({})
  }
  const { signal } = (over = new AbortController())
  striking = ofEach
    .slice(0, task.organizations)
    .flatMap((attacks) => attacks.filter((_, at) => task.attacks.includes(at)))
    .map(async (attack) => repeat(attack, signal))
}

async function repeat(attack: Attack, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await attack.strike().catch(async () => sleep(500))
  }
}
