import { mkdtempSync, readFileSync, readlinkSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { eventually } from '../eventually.ts'
import { makeArtifact, type Artifact } from './make-artifact.ts'
import { startProtocolServer, type Asked, type Given } from './protocol-server.ts'
import { newOrganization, offered, orderOf, provenanceOf } from './signing.ts'
import { startAgent, type AgentProcess } from './start-agent.ts'

export type AgentHost = Awaited<ReturnType<typeof agentHost>>

const hookNames = ['install', 'activate', 'health', 'rollback'] as const

/** Each hook writes when it begins and ends, by which release it is run, and may do more between. */
const hookText = (name: string, more: string) => `#!/bin/sh
echo "begin ${name} $CC_PHASE $CC_RELEASE_DIGEST" >> "$TRACE"
echo "${name} says hello"
${more}
echo "end ${name}" >> "$TRACE"
`

/** A folder of an agent, a service, and releases whose hooks leave a trace. */
export async function agentHost(options: { leaseMs?: number; againMs?: number } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'cc-agent-'))
  const dir = join(folder, 'agent')
  const trace = join(folder, 'trace')
  const organization = newOrganization('acme')
  const token = 'cc_agt_test'
  const server = await startProtocolServer({
    token,
    keys: [offered(organization, organization.key)],
    ...options,
  })
  const agents = new Set<AgentProcess>()
  let made = 0

  const artifact = (files: Record<string, string>): Artifact => {
    made += 1
    return makeArtifact(mkdtempSync(join(folder, `artifact-${made}-`)), files)
  }
  return {
    folder,
    dir,
    organization,
    server,
    artifact,
    token,
    /** A release with a page and these hooks; a text is what the hook does. */
    release: (page: string, hooks: Partial<Record<(typeof hookNames)[number], string>>) =>
      artifact({
        'public/index.html': page,
        ...Object.fromEntries(
          Object.entries(hooks).map(([name, more]) => [`hooks/${name}`, hookText(name, more)]),
        ),
      }),
    give(
      action: Asked['action'],
      built: Artifact,
      {
        hooks = ['install', 'activate', 'health'],
        ...more
      }: Omit<Partial<Asked>, 'hooks'> & {
        hooks?: readonly string[]
        repeatable?: boolean
      } = {},
    ): Given {
      const { repeatable = false, env = [], ...asked } = more
      return server.give({
        action,
        artifact: built,
        provenance: provenanceOf(built, organization, organization.key),
        hooks: Object.fromEntries(
          hooks.map((name) => [name, { path: `hooks/${name}`, repeatable }]),
        ),
        timeouts: { install: 20, activate: 20, health: 3, rollback: 20 },
        env: [{ key: 'TRACE', value: trace, sensitive: false }, ...env],
        order: (claim) => orderOf(claim, organization, { key: organization.key }),
        ...asked,
      })
    },
    start(env: Record<string, string> = {}, script?: string): AgentProcess {
      const agent = startAgent(
        { url: server.url, token, keyId: organization.key.keyId, dir },
        { env, ...(script !== undefined && { script }) },
      )
      agents.add(agent)
      return agent
    },
    async resultOf(given: Given): Promise<Record<string, unknown>> {
      return eventually(async () => given.result, { looks: 1_200, everyMs: 50 }).catch(() => {
        const said = [...agents].map((agent) => agent.said()).join('')
        throw new Error(
          `no result of ${given.id}: ${said}\n${given.lines.map(({ line }) => line).join('\n')}`,
        )
      })
    },
    trace: (): string[] => {
      try {
        return readFileSync(trace, 'utf8').trim().split('\n')
      } catch {
        return []
      }
    },
    /** The page that the release serves now. */
    page: (): string => readFileSync(join(dir, 'current/public/index.html'), 'utf8'),
    current: (): string => readlinkSync(join(dir, 'current')),
    async close() {
      await Promise.all([...agents].map(async (agent) => agent.kill()))
      await server.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
