import type { InjectOptions, LightMyRequestResponse } from 'fastify'
import type { Harness } from '../../harness/create-harness.ts'
import type { TestOrganization } from '../../harness/test-organization.ts'
import type { TestUser } from '../../harness/test-user.ts'

export type AgentClient = {
  id: number
  token: string
  call(path: string, body?: object, options?: InjectOptions): Promise<LightMyRequestResponse>
  get(path: string, headers?: Record<string, string>): Promise<LightMyRequestResponse>
  beat(more?: object): Promise<LightMyRequestResponse>
  claim(waitSeconds?: number, more?: object): Promise<LightMyRequestResponse>
}

/** The protocol's requests with this token. */
export function agentClient(
  { app }: Pick<Harness, 'app'>,
  { id, token }: { id: number; token: string },
): AgentClient {
  const headers = {
    authorization: `Bearer ${token}`,
    'cc-agent-protocol': '1',
    'cc-agent-version': '1.0.0',
  }
  const call: AgentClient['call'] = async (path, body, options = {}) =>
    app.inject({
      method: 'POST',
      url: `/api/agent/${path}`,
      payload: body ?? {},
      ...options,
      headers: { ...headers, ...options.headers },
    })
  return {
    id,
    token,
    call,
    get: async (path, more = {}) =>
      app.inject({ url: `/api/agent/${path}`, headers: { ...headers, ...more } }),
    beat: async (more = {}) =>
      call('heartbeat', { protocols: [1], version: '1.0.0', os: 'linux', arch: 'x64', ...more }),
    claim: async (waitSeconds = 0, more = {}) => call('claim', { waitSeconds, ...more }),
  }
}

let names = 0

/** An agent of a workspace, made by its owner. */
export async function makeAgent(
  harness: Harness,
  { owner, workspaceId, more = {} }: { owner: TestUser; workspaceId: number; more?: object },
): Promise<AgentClient> {
  names += 1
  const made = await owner.post('/api/agents', { name: `host-${names}`, workspaceId, ...more })
  if (made.statusCode !== 201) throw new Error(`no agent: ${made.body}`)
  const { agent, token } = made.json()
  return agentClient(harness, { id: agent.id, token })
}

export type AgentPlace = {
  org: TestOrganization
  owner: TestUser
  workspaceId: number
}

export async function agentPlace(harness: Harness): Promise<AgentPlace> {
  const org = await harness.organization()
  const owner = await org.user('Owner')
  const workspace = await org.workspace({ by: owner })
  return { org, owner, workspaceId: workspace.id }
}
