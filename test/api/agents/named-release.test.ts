import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { agentPlace, makeAgent } from './agent-client.ts'
import { hostsAtWork } from './hosts-at-work.ts'

let harness: Harness
let at: ReturnType<typeof hostsAtWork>
beforeAll(async () => {
  harness = await createHarness()
  at = hostsAtWork(harness)
})
afterAll(async () => harness.close())

describe('the release that an agent names', () => {
  const digest = `sha256:${'a'.repeat(64)}`
  const other = `sha256:${'b'.repeat(64)}`
  const idle = async () => {
    const { owner, ...place } = await agentPlace(harness)
    const agent = await makeAgent(harness, { owner, ...place })
    const shown = async () => (await owner.get(`/api/agents/${agent.id}`)).json().agent
    /** Claims are noted a moment later, in one statement. */
    const noted = async (release: object | null) =>
      expect.poll(async () => (await shown()).release, { timeout: 5_000 }).toEqual(release)
    const seenAt = async () => (await shown()).lastSeenAt
    return { agent, shown, noted, seenAt }
  }

  test('204: an idle agent’s claim says what it runs, and nothing changes where it says nothing', async () => {
    const { agent, noted, seenAt } = await idle()
    await agent.claim(0, { release: { digest, runId: 7 } })
    await noted({ digest, runId: 7 })
    const before = await seenAt()
    await agent.claim()
    await expect.poll(seenAt, { timeout: 5_000 }).not.toBe(before)
    await noted({ digest, runId: 7 })
    // The last of two that are noted together counts, and so does one before a claim that names none.
    await agent.claim(0, { release: { digest, runId: 8 } })
    await agent.claim(0, { release: { digest: other, runId: 9 } })
    await agent.claim()
    await noted({ digest: other, runId: 9 })
    await agent.claim(0, { release: { digest: other } })
    await agent.claim(0, { release: null })
    await noted(null)
  })

  test('200: a heartbeat that names none changes nothing, and one that says null does', async () => {
    const { agent, shown } = await idle()
    await agent.beat({ release: { digest, runId: 7 } })
    await agent.beat()
    expect((await shown()).release).toEqual({ digest, runId: 7 })
    await agent.beat({ release: { digest } })
    expect((await shown()).release).toEqual({ digest, runId: 7 })
    await agent.beat({ release: { digest: other } })
    expect((await shown()).release).toEqual({ digest: other, runId: null })
    await agent.beat({ release: null })
    expect((await shown()).release).toBeNull()
  })

  test('200: what a claim named before its work does not undo the result of the work', async () => {
    const { owner, agent, deployment } = await at.atWork()
    const { fence } = await at.claimed(agent, 0, { release: { digest, runId: 7 } })
    const result = at.resultOf(deployment, fence)
    expect((await agent.call(`deployments/${deployment.id}/result`, result)).statusCode).toBe(200)
    const shown = async () => (await owner.get(`/api/agents/${agent.id}`)).json().agent
    const { lastSeenAt } = await shown()
    // Noted with or after the claim before it.
    expect((await agent.claim()).statusCode).toBe(204)
    await expect
      .poll(async () => (await shown()).lastSeenAt, { timeout: 5_000 })
      .not.toBe(lastSeenAt)
    expect((await shown()).release).toEqual({ digest: deployment.digest, runId: deployment.id })
  })
})
