import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { testDeployment, want } from '../../harness/deployments.ts'
import { agentPlace, makeAgent, type AgentClient } from './agent-client.ts'

let harness: Harness
beforeAll(async () => {
  harness = await createHarness()
})
afterAll(async () => harness.close())

const secret = `hook-secret-${randomBytes(12).toString('hex')}`

/** A deployment that these hosts have claimed. */
async function claimedBy(hosts: number) {
  harness.secrets.note('a deploy variable', secret)
  const place = await agentPlace(harness)
  const deployment = await testDeployment(harness.deps, place.org.id, {
    workspaceId: place.workspaceId,
    variables: { API_TOKEN: secret },
  })
  const agents: AgentClient[] = []
  for (let n = 0; n < hosts; n += 1) {
    const agent = await makeAgent(harness, place)
    await want(harness.deps, place.org.id, { deploymentId: deployment.id, agentId: agent.id })
    expect((await agent.claim()).statusCode).toBe(200)
    agents.push(agent)
  }
  const send = async (agent: AgentClient | undefined, batch: number, lines: object[], fence = 1) =>
    agent?.call(`deployments/${deployment.id}/logs`, { fence, batch, lines })
  const read = async (query = '') => {
    const answer = await place.owner.get(
      `/api/pipelines/${deployment.pipelineId}/runs/${deployment.id}/logs?stage=deploy&limit=10000${query}`,
    )
    expect(answer.statusCode, answer.body).toBe(200)
    const { lines } = answer.json()
    return lines as Array<{ seq: number; level: string; line: string; host?: string }>
  }
  return { ...place, deployment, agents, send, read }
}

describe('the log of a deployment', () => {
  test('200: lines of many hosts at once, each with its host, and no hole in seq', async () => {
    const { agents, send, read } = await claimedBy(4)
    await Promise.all(
      agents.flatMap((agent, host) =>
        [1, 2, 3].map(async (batch) => {
          // In order, as an agent sends them.
          for (let at = 1; at < batch; at += 1) await Promise.resolve()
          return batch === 1
            ? (async () => {
                for (let b = 1; b <= 3; b += 1)
                  expect(
                    (
                      await send(
                        agent,
                        b,
                        Array.from({ length: 50 }, (_, n) => ({ line: `${host}-${b}-${n}` })),
                      )
                    )?.statusCode,
                  ).toBe(200)
              })()
            : undefined
        }),
      ),
    )
    const lines = await read()
    expect(lines.map(({ seq }) => seq)).toEqual(Array.from({ length: 600 }, (_, at) => at + 1))
    const hosts = new Set(lines.map(({ host }) => host))
    expect(hosts.size).toBe(4)
    for (const host of hosts) {
      const own = lines.filter((line) => line.host === host).map(({ line }) => line.slice(2))
      expect(own).toEqual(
        [1, 2, 3].flatMap((b) => Array.from({ length: 50 }, (_, n) => `${b}-${n}`)),
      )
    }
  })

  test('200: a batch that is sent again stores nothing, also when both come at once', async () => {
    const { agents, send, read } = await claimedBy(1)
    const [agent] = agents
    const both = await Promise.all(
      [1, 1, 1].map(async (batch) => send(agent, batch, [{ line: 'a' }])),
    )
    expect(both.map((answer) => answer?.statusCode)).toEqual([200, 200, 200])
    expect((await send(agent, 2, [{ level: 'error', line: 'b' }]))?.statusCode).toBe(200)
    expect((await send(agent, 1, [{ line: 'c' }]))?.statusCode).toBe(200)
    expect(await read()).toMatchObject([
      { seq: 1, level: 'info', line: 'a' },
      { seq: 2, level: 'error', line: 'b' },
    ])
  })

  test('200: after a crash the batch that was not acknowledged is sent under the new fence', async () => {
    const { agents, deployment, send, read } = await claimedBy(1)
    const [agent] = agents
    await send(agent, 1, [{ line: 'a' }])
    const held = { deploymentId: deployment.id, fence: 1 }
    expect((await agent?.claim(0, { held }))?.json().deployment.fence).toBe(2)
    expect((await send(agent, 2, [{ line: 'late' }], 1))?.json().code).toBe('lease_lost')
    expect((await send(agent, 1, [{ line: 'a' }], 2))?.statusCode).toBe(200)
    expect((await send(agent, 2, [{ line: 'b' }], 2))?.statusCode).toBe(200)
    expect((await read()).map(({ line }) => line)).toEqual(['a', 'b'])
  })

  test('400 and 413: more than 500 lines, and more than 256 KiB', async () => {
    const { agents, send, read } = await claimedBy(1)
    const [agent] = agents
    const many = (count: number, line: string) => Array.from({ length: count }, () => ({ line }))
    expect((await send(agent, 1, many(501, 'a')))?.statusCode).toBe(400)
    const large = await send(agent, 1, many(300, 'a'.repeat(1_000)))
    expect([large?.statusCode, large?.json().code]).toEqual([413, 'body_too_large'])
    expect((await send(agent, 0, []))?.statusCode).toBe(400)
    expect((await send(agent, 1, many(500, 'a')))?.statusCode).toBe(200)
    expect(await read()).toHaveLength(500)
  })

  test('200: secrets and control characters are taken out, long lines are cut', async () => {
    const { agents, send, read } = await claimedBy(1)
    const [agent] = agents
    await send(agent, 1, [
      { line: `token=${secret}` },
      { line: `b64 ${Buffer.from(`x:${secret}`).toString('base64')}` },
      { line: `split ${secret.slice(0, 8)}\u001b[31m${secret.slice(8)}` },
      { line: `gh ghp_${'a1B2'.repeat(9)}` },
      { line: 'x'.repeat(20_000) },
    ])
    const lines = (await read()).map(({ line }) => line)
    expect(lines[0]).toBe('token=[masked]')
    expect(lines.slice(1, 4).every((line) => line.includes('[masked]'))).toBe(true)
    expect(lines[4]).toHaveLength(8_192)
    expect(JSON.stringify(lines)).not.toContain(secret)
    const result = await agent?.call(`deployments/${await deploymentOf(agent)}/result`, {
      fence: 1,
      ok: false,
      message: `failed with ${secret}`,
      release: null,
    })
    expect(result?.statusCode).toBe(200)
    expect((await read()).at(-1)).toMatchObject({
      level: 'error',
      line: 'deploy: failed: failed with [masked]',
    })
  })

  const deploymentOf = async (agent: AgentClient | undefined): Promise<number> => {
    const row = await harness.deps.store
      .platform('deployment_hosts')
      .where({ agentId: agent?.id ?? 0 })
      .first('pipelineRunId')
    return row.pipelineRunId
  }

  test('200: a host that prints too much is cut off, and its log says so once', async () => {
    const { agents, deployment, send, read } = await claimedBy(1)
    const [agent] = agents
    await harness.deps.store
      .platform('deployment_hosts')
      .where({ pipelineRunId: deployment.id })
      .update({ logBytes: 8 * 1024 * 1024 - 1 })
    for (const batch of [1, 2, 3]) {
      const answer = await send(agent, batch, [{ line: 'flood' }])
      expect(answer?.statusCode).toBe(200)
    }
    expect((await read()).map(({ line }) => line)).toEqual([
      'flood',
      'Further lines of this host are not kept: it printed more than 8 MiB.',
    ])
  })

  test('200: empty lines count too, and no count ends in a fault', async () => {
    const { agents, deployment, send, read } = await claimedBy(1)
    const [agent] = agents
    const setBytes = async (logBytes: number) =>
      harness.deps.store
        .platform('deployment_hosts')
        .where({ pipelineRunId: deployment.id })
        .update({ logBytes })
    await setBytes(8 * 1024 * 1024 - 500 * 64)
    const empty = Array.from({ length: 500 }, () => ({ line: '' }))
    for (const batch of [1, 2]) expect((await send(agent, batch, empty))?.statusCode).toBe(200)
    const lines = await read()
    expect(lines).toHaveLength(501)
    expect(lines.at(-1)?.line).toMatch(/^Further lines of this host are not kept/)
    await setBytes(2 ** 31 - 10)
    const batches = [3, 4]
    for (const batch of batches) expect((await send(agent, batch, empty))?.statusCode).toBe(200)
    expect(await read()).toHaveLength(501)
  })
})
