import { setTimeout as sleep } from 'node:timers/promises'
import { manifestWith } from '../../test/harness/git/application-of.ts'
import { openAgents, type AgentClient, type Claimed } from './agent-client.ts'
import { made, openApplication, succeeded, type Application } from './application.ts'
import type { World } from './world.ts'

export type Fleet = {
  world: World
  workspaceId: number
  agents: AgentClient[]
  application: Application
}

/** Hosts that claim, with a pipeline whose artifact has this size. */
export async function openFleet(
  world: World,
  { name, size, hosts }: { name: string; size: number; hosts: number },
): Promise<Fleet> {
  const { platform, peer } = world
  const workspaceId = await made(platform.call, '/workspaces', { name })
  const build = manifestWith(
    `steps:\n  - name: make\n    run: mkdir dist; head -c ${size} /dev/urandom > dist/x\nartifact:\n  path: dist`,
  )
  const path = '.cloud-control/pipeline.yml'
  const deploy = `deploy:\n  strategy: at-once\n  strategies:\n    at-once: { kind: all-at-once }\n    by-ten: { kind: rolling, batch: 10 }\n`
  const application = await openApplication(
    { call: platform.call, peer },
    { repository: `acme/${name}`, files: { [path]: `${build[path]}${deploy}` }, workspaceId },
  )
  const agents = await openAgents(platform, { workspaceId, count: hosts, name })
  return { world, workspaceId, agents, application }
}

/** Starts a run, and has each host do this with its claim before it says that it is done. */
export async function deployBy(
  { agents, application }: Fleet,
  strategy: string,
  work: (agent: AgentClient, claimed: Claimed, at: number) => Promise<void>,
): Promise<number> {
  const doing = agents.map(async (agent, at) => {
    const claimed = await agent.claim()
    if (!claimed) return
    await work(agent, claimed, at)
    await agent.succeed(claimed)
  })
  // So that all hosts are online.
  await sleep(500)
  const run = await application.start({ strategy })
  await Promise.all(doing)
  await succeeded(run)
  return run.id
}
