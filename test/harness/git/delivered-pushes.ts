import { randomUUID } from 'node:crypto'
import { MockActivityEnvironment } from '@temporalio/testing'
import { expect } from 'vitest'
import { lookIntoDelivery } from '../../../activities/git/look-into-delivery.ts'
import { receiveDelivery } from '../../../app/git/receive-delivery.ts'
import type { Delivery } from '../../../domain/git/webhook-delivery.ts'
import type { TestUser } from '../test-user.ts'
import { gitActivityDeps } from './git-activity-deps.ts'
import type { GitHarness } from './git-harness.ts'

let counter = 0

export type DeliveredPushes = ReturnType<typeof deliveredPushes>

/** Applications of several repositories of one connection, and the deliveries of these, without a worker. */
export function deliveredPushes(harness: GitHarness, owner: TestUser) {
  const { organizationId } = owner
  const repository = async (name: string): Promise<string> => {
    counter += 1
    const repo = `acme/${name}-${counter}`
    await harness.peer.createRepository(repo, { 'live/main.tf': '# hi\n' })
    return repo
  }
  const receive = async (connectionId: number, about: Partial<Delivery>) => {
    const nothing = { branches: [], tags: [], pullRequest: null, repository: null }
    const delivery = { id: randomUUID(), ...nothing, ...about }
    await harness.deps.store.tenant(organizationId, async (tenant) =>
      receiveDelivery(tenant, { connectionId, delivery }),
    )
    const at = { connectionId, deliveryId: delivery.id }
    const row = await harness.deps.store.platform('git_deliveries').where(at).first()
    return Number(row.id)
  }
  const look = async (deliveryId: number) =>
    new MockActivityEnvironment({ attempt: 1 }).run(lookIntoDelivery(gitActivityDeps(harness)), {
      organizationId,
      deliveryId,
    })
  return {
    repository,
    receive,
    look,
    async connected(name: string) {
      const repo = await repository(name)
      const body = harness.body(repo, { repoType: 'application' })
      const made = await owner.post('/api/git/connections', body)
      expect(made.statusCode, made.body).toBe(201)
      return { repo, connectionId: Number(made.json().connection.id) }
    },
    async pipelineOf(connectionId: number, repo: string, triggers: object) {
      counter += 1
      const made = await owner.post('/api/pipelines', {
        name: `application-${counter}`,
        appGitConnectionId: connectionId,
        appRepo: repo,
        triggers,
      })
      expect(made.statusCode, made.body).toBe(201)
      return Number(made.json().pipeline.id)
    },
    async pushed(connectionId: number, about: Partial<Delivery>) {
      await look(await receive(connectionId, about))
    },
    /** The labels of the runs of a pipeline, the oldest first: `tag v1`, `push of 1234567`. */
    async runsOf(pipelineId: number): Promise<string[]> {
      const { runs } = (await owner.get(`/api/pipelines/${pipelineId}/runs`)).json()
      return runs.map(({ author }: { author: { label: string } }) => author.label).toReversed()
    },
  }
}
