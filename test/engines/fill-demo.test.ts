import { afterAll, beforeAll, expect, test } from 'vitest'
import { fillDemo } from '../../scripts/start/fill-demo.ts'
import { organizations } from '../../store/platform/organizations.ts'
import { users } from '../../store/users/users.ts'
import { createHarness, type Harness } from '../harness/create-harness.ts'
import { createTestUser } from '../harness/test-user.ts'

let harness: Harness
beforeAll(async () => {
  harness = await createHarness({ worker: true })
})
afterAll(() => harness.close())

test('--demo fills in workspaces, pipelines and runs, of which one waits for the Owner, and a second time nothing', async () => {
  const { deps, config } = harness
  const said: string[] = []
  const fill = async () =>
    fillDemo({ config, say: (line) => said.push(line), signal: new AbortController().signal })
  await fill()
  expect(said).toEqual(['demo: there is no organization demo with an Owner'])

  const { id: organizationId } = await organizations(deps.store.platform).create('demo', 'demo')
  const email = 'owner@demo.example'
  const { id } = await deps.store.tenant(organizationId, async (tenant) =>
    users(tenant).create({ email, name: 'Owner', role: 'Owner' }),
  )
  const owner = await createTestUser(harness.app, deps, { id, organizationId, email })
  await fill()

  const shape = async () => {
    const { workspaces } = (await owner.get('/api/workspaces')).json()
    const { pipelines } = (await owner.get('/api/pipelines')).json()
    return {
      workspaces: workspaces.map(({ name, criticality, lastRun }: Record<string, unknown>) => [
        name,
        criticality,
        lastRun,
      ]),
      pipelines: pipelines.map(({ name }: { name: string }) => name),
    }
  }
  const filled = await shape()
  expect(filled).toEqual({
    workspaces: [
      ['demo-network', 'standard', { number: 2, state: 'succeeded' }],
      ['demo-shop', 'production', { number: 2, state: 'running', awaitingApproval: true }],
    ],
    pipelines: ['provision-demo-network', 'provision-demo-shop', 'release-demo-shop'],
  })
  await fill()
  expect(await shape()).toEqual(filled)

  const [shop] = (await owner.get('/api/workspaces')).json().workspaces.slice(1)
  const [run] = (await owner.get(`/api/workspaces/${shop.id}/runs`)).json().runs
  expect(run).toMatchObject({
    awaitingApproval: true,
    blockedBy: { whoCanAct: [expect.stringContaining(email)] },
  })
  const url = `/api/pipelines/${shop.pipelineId}/runs/${run.id}/approve`
  expect((await owner.post(url, {})).statusCode).toBe(200)
})
