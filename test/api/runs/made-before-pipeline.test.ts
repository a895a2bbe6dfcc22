import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { applicationPipeline } from '../../harness/application-run.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { agentHosts } from '../../harness/deploy/agent-hosts.ts'
import {
  deployActivities,
  deployWorld,
  type DeployWorld,
} from '../../harness/deploy/deploy-world.ts'
import type { TestUser } from '../../harness/test-user.ts'
import { approvalWorld } from './approval-world.ts'

// No worker: the test calls the activities, and agents answer through the store.
describe('the first release of a pipeline to a production workspace that has hosts', () => {
  let harness: Harness
  let world: DeployWorld
  let author: TestUser
  beforeAll(async () => {
    harness = await createHarness()
  })
  afterAll(async () => harness.close())
  beforeEach(async () => {
    world = await deployWorld(harness, { criticality: 'production' })
    author = await world.org.user('Org Admin')
    await world.hosts.add('a')
  })
  const pipelineTo = async (workspaceId: number) =>
    applicationPipeline(harness.deps, world.org.id, workspaceId)
  const verdict = async (person: TestUser, { url }: { url: string }) => {
    const answer = await person.post(`${url}/approve`, {})
    return [answer.statusCode, answer.json().code]
  }

  /** A pipeline that has deployed to other hosts, where nobody has to approve, and is moved to these. */
  async function movedPipeline(): Promise<number> {
    const { id: elsewhere } = await world.org.workspace({ by: world.owner })
    const hosts = agentHosts(harness, { organizationId: world.org.id, workspaceId: elsewhere })
    await hosts.add('b')
    const pipelineId = await pipelineTo(elsewhere)
    const run = await world.built({ by: author, of: pipelineId })
    await deployActivities(harness).deploy(run, hosts)
    expect(await run.shown()).toMatchObject({ state: 'succeeded' })
    const move = { targetWorkspaceId: world.workspaceId }
    const moved = await author.patch(`/api/pipelines/${pipelineId}`, move)
    expect(moved.statusCode, moved.body).toBe(200)
    return pipelineId
  }

  test.each([
    ['created', async () => pipelineTo(world.workspaceId)],
    ['moved here', movedPipeline],
  ])('403: whom an author invited before the pipeline was %s', async (_, make) => {
    const puppet = await approvalWorld(harness).invite(world.org, author, 'SRE · Cloud Admin')
    const run = await world.built({ by: author, of: await make() })
    expect((await puppet.get(run.url)).json().run).toMatchObject({
      awaitingApproval: true,
      mayApprove: false,
      because: { mayApprove: 'approver_made_by_author' },
    })
    expect(await verdict(puppet, run)).toEqual([403, 'approver_made_by_author'])
    expect(await verdict(await world.org.user('Deployer'), run)).toEqual([200, undefined])
  })

  test('403, then 200: who changed the target before the pipeline was created, until that is applied', async () => {
    const changer = await world.org.user('Deployer')
    const variable = { key: 'region', value: 'eu-west-1' }
    const changed = await changer.post(`/api/workspaces/${world.workspaceId}/variables`, variable)
    expect(changed.statusCode, changed.body).toBe(201)
    const run = await world.built({ by: author, of: await pipelineTo(world.workspaceId) })
    expect(await verdict(changer, run)).toEqual([403, 'approver_is_author'])
    await harness.deps.store
      .platform('workspace_authorship')
      .where({ workspaceId: world.workspaceId })
      .update({ appliedAt: new Date() })
    expect(await verdict(changer, run)).toEqual([200, undefined])
  })
})
