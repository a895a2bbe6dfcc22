import { afterAll, beforeAll, expect, test } from 'vitest'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { eventually } from '../../harness/git/git-harness.ts'

let harness: Harness
beforeAll(async () => {
  harness = await createHarness({ worker: true })
})
afterAll(async () => harness.close())

test('OpenTofu runs in the workspace’s path; without a module there, the plan destroys nothing', async () => {
  const org = await harness.organization()
  const user = await org.user('Owner')
  const ws = await org.workspace({
    by: user,
    fields: { path: 'live' },
    files: {
      'live/main.tf': 'module "m" {\n  source = "../modules/m"\n}\n',
      'modules/m/main.tf': 'resource "terraform_data" "one" { input = "a" }\n',
    },
  })
  const run = async (kind: 'apply' | 'plan') => {
    const { id } = (await user.post(`${ws.url}/${kind}`)).json().run
    return eventually(async () => {
      const found = (await user.get(`${ws.url}/runs/${id}`)).json().run
      return found.state !== 'running' && found
    })
  }
  expect(await run('apply')).toMatchObject({ state: 'succeeded', summary: { add: 1 } })
  await user.patch(ws.url, { path: 'modules' })
  expect(await run('plan')).toMatchObject({
    state: 'failed',
    reason: 'plan_errored',
    summary: null,
    endMessage: expect.stringContaining('no .tf file in modules'),
  })
})
