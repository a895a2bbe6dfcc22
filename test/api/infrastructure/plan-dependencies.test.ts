import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { testPlan } from '../../../domain/infrastructure/test-plan.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { startRun } from '../../harness/runs.ts'
import { recordedPlan } from './recorded-plan.ts'

describe('what a row of a plan needs', () => {
  let harness: Harness
  beforeAll(async () => {
    harness = await createHarness()
  })
  afterAll(async () => harness.close())

  test('200: the other changes, masked as addresses are; a long value says that it is cut', async () => {
    const secret = 'korrekt_pferd_batterie'
    const org = await harness.organization()
    const owner = await org.user('Owner')
    const workspace = await org.workspace({ by: owner })
    const { id } = await startRun(owner, workspace)
    const net = { address: 'a_net.one', expressions: { x: { references: [`a_key.${secret}`] } } }
    const root = { resources: [{ address: `a_key.${secret}`, expressions: {} }, net] }
    const long = 'x'.repeat(20_000)
    const plan = testPlan(
      [
        { address: 'a_net.one', actions: ['create'], after: { long } },
        { address: `a_key.${secret}`, actions: ['create'], after: {} },
      ],
      { configuration: { root_module: root } },
    )
    await recordedPlan(harness, { organizationId: org.id, workspaceRunId: id }, plan)
    const read = async () => (await owner.get(`${workspace.url}/runs/${id}/plan`)).json().plan
    expect((await read()).resources[0]).toMatchObject({
      dependsOn: [`a_key.${secret}`],
      attributes: [{ after: `${'x'.repeat(16_000)}…`, cut: true }],
    })
    // A name that became a secret after the plan was recorded.
    const made = await owner.post(`${workspace.url}/variables`, {
      key: 'token',
      value: secret,
      sensitive: true,
    })
    expect(made.statusCode, made.body).toBe(201)
    const [first, second] = (await read()).resources
    expect(first.dependsOn).toEqual(['a_key.[masked]'])
    expect(second.address).toBe('a_key.[masked]')
  })
})
