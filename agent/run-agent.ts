import { readdirSync } from 'node:fs'
import { claimWork } from './claim-work.ts'
import { openAgentState } from './agent-state.ts'
import type { AgentConfig } from './config.ts'
import { openAgentFolder } from './disk/agent-folder.ts'
import { lockFolder } from './disk/lock-folder.ts'
import { messageOf } from './faults.ts'
import { endLeftover } from './hooks/process-group.ts'
import type { Say } from './say.ts'
import { pause } from './service/backoff.ts'
import { connectService } from './service/call-service.ts'
import { serviceOf } from './service/service.ts'
import { openTrust } from './trust.ts'
import { version } from './version.ts'
import { heldBy, readJournals, takeLeftover } from './work/journal.ts'
import { releasesIn } from './work/releases.ts'
import { workOn } from './work/work-on.ts'

export type Ending = {
  /** No new step. */
  ending: AbortSignal
  /** A hook that still runs is ended too. */
  ended: AbortSignal
}

/** Runs until `ending` comes. Returns the exit code. */
export async function runAgent(
  config: AgentConfig,
  { ending, ended }: Ending,
  say: Say,
): Promise<number> {
  const folder = openAgentFolder(config.dir)
  // The path of a socket has at most 107 bytes, so the lock is taken by a relative one.
  process.chdir(folder.root)
  const lock = await lockFolder()
  if (!lock) {
    say('error', 'another agent works in this folder', { dir: config.dir })
    return 1
  }
  const state = openAgentState(folder.state)
  const trust = openTrust(state, { pin: config.keyId, say })
  const releases = releasesIn(folder)
  const connection = connectService({ url: config.url, ca: config.ca, version })
  const greeting = () => ({
    protocols: [1],
    version,
    os: process.platform,
    arch: process.arch,
    release: releases.running(),
  })
  const service = serviceOf({ connection, state, readToken: config.readToken, greeting, say })
  const deps = { folder, service, trust, greeting, ending, ended, say }
  try {
    await endLeftovers(folder.deployments, say)
    await service.signIn(ending)
    await greet(deps)
    say('info', 'waiting for work', { version, dir: config.dir, release: releases.running() })
    for (;;) {
      const held = readJournals(folder.deployments)
        .map(({ entries }) => heldBy(entries))
        .find(Boolean)
      const body = () => ({ release: releases.running(), ...(held && { held }) })
      const claimed = await claimWork(service, { body, ending, say })
      if (!claimed) return 0
      if (!lock.isHeld()) {
        say('error', 'another agent has taken this folder', { dir: config.dir })
        return 1
      }
      trust.learn(claimed.body['keys'])
      await workOn(deps, claimed.deployment, claimed.at).catch(async (error: unknown) => {
        // A full or read-only disk of the journal. The lease runs out, and the service gives the work again.
        say('error', 'work on a deployment failed', { why: messageOf(error) })
        await pause(afterFaultMs, ending)
      })
      if (!ending.aborted) await greet(deps)
    }
  } finally {
    connection.close()
    lock.release()
  }
}

const afterFaultMs = 10_000

/** Tells what runs here, and learns the keys. An idle agent's claim says the rest. */
async function greet({ service, trust, greeting, ending, say }: Greeted): Promise<void> {
  try {
    const { body } = await service.post('heartbeat', greeting(), { signal: ending })
    trust.learn(body['keys'])
    const offered = body['protocol']
    if (offered !== undefined && offered !== 1)
      say('warn', 'the service asks for another protocol', { offered })
  } catch (error) {
    if (!ending.aborted) say('warn', 'a heartbeat failed', { why: messageOf(error) })
  }
}

type Greeted = Pick<
  Parameters<typeof workOn>[0],
  'service' | 'trust' | 'greeting' | 'ending' | 'say'
>

/** Hooks that ran when the agent was killed. What they do now, nobody waits for. */
async function endLeftovers(deployments: string, say: Say): Promise<void> {
  for (const id of readdirSync(deployments)) {
    const left = takeLeftover(deployments, id)
    if (left && (await endLeftover(left)))
      say('warn', 'a hook of before the restart was ended', { pid: left.pid })
  }
}
