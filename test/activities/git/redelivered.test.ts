import { randomUUID } from 'node:crypto'
import { MockActivityEnvironment } from '@temporalio/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { endDelivery } from '../../../activities/git/end-delivery.ts'
import type { TakeDeliveryInput } from '../../../workflows/git/contract.ts'
import { deliveredPushes, type DeliveredPushes } from '../../harness/git/delivered-pushes.ts'
import { gitActivityDeps } from '../../harness/git/git-activity-deps.ts'
import { gitHarness, peerMakers, type GitHarness } from '../../harness/git/git-harness.ts'

// Without a worker: what a workflow would do, a test does, at the moment it chooses.
describe('a delivery that is sent again', () => {
  let harness: GitHarness
  let at: DeliveredPushes
  let connectionId: number
  beforeAll(async () => {
    harness = await gitHarness(peerMakers.githubPeer, { worker: false })
    at = deliveredPushes(harness, await (await harness.organization()).user('Owner'))
    connectionId = (await at.connected('sent')).connectionId
  })
  afterAll(async () => harness?.close())

  const sent = () => {
    const about = { id: randomUUID(), branches: ['main'] }
    return async () => at.receive(connectionId, about)
  }
  const row = async (id: number) =>
    harness.deps.store.platform('git_deliveries').where({ id }).first()
  const starts = async (
    id: number,
  ): Promise<Array<{ workflowId: string; args: [TakeDeliveryInput] }>> =>
    harness.deps.store
      .platform('outbox')
      .where((own) => {
        void own.whereLike('workflowId', `%/git-delivery/${id}`)
        void own.orWhereLike('workflowId', `%/git-delivery/${id}/%`)
      })
      .orderBy('id')
  const end = async (input: TakeDeliveryInput, code?: string) =>
    new MockActivityEnvironment({ attempt: 1 }).run(endDelivery(gitActivityDeps(harness)), {
      ...input,
      ...(code !== undefined && { code }),
    })
  const newest = async (id: number): Promise<TakeDeliveryInput> => {
    const last = (await starts(id)).at(-1)
    if (!last) throw new Error('no start')
    return last.args[0]
  }

  test('one that failed starts again, once for each failure, also where it is sent five times at once', async () => {
    const send = sent()
    const id = await send()
    for (const attempts of [2, 3]) {
      await end(await newest(id), 'git_forbidden')
      expect(await row(id)).toMatchObject({ outcome: 'git_forbidden' })
      await Promise.all([1, 2, 3, 4, 5].map(send))
      expect(await row(id)).toMatchObject({ outcome: null, handledAt: null })
      const started = await starts(id)
      expect(started).toHaveLength(attempts)
      expect(new Set(started.map(({ workflowId }) => workflowId)).size).toBe(attempts)
      expect(started.at(-1)?.args[0]).toMatchObject({ deliveryId: id })
    }
    await at.look(id)
    await end(await newest(id))
    expect(await row(id)).toMatchObject({ outcome: 'handled' })
  })

  test('one that was handled, or is under way, starts nothing', async () => {
    const send = sent()
    const id = await send()
    await send()
    expect(await starts(id)).toHaveLength(1)
    await end(await newest(id))
    const handled = await row(id)
    await send()
    expect(await starts(id)).toHaveLength(1)
    expect(await row(id)).toEqual(handled)
  })

  test('a repeated last step of the attempt that failed does not end the one that follows', async () => {
    const send = sent()
    const id = await send()
    const first = await newest(id)
    await end(first, 'git_forbidden')
    await send()
    await end(first, 'git_forbidden')
    expect(await row(id)).toMatchObject({ outcome: null, handledAt: null })
    await end(await newest(id))
    expect(await row(id)).toMatchObject({ outcome: 'handled' })
  })
})
