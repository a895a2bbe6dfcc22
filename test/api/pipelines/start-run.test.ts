import { afterAll, beforeAll, expect, test } from 'vitest'
import { createHarness, type Harness } from '../../harness/create-harness.ts'

let harness: Harness
beforeAll(async () => {
  harness = await createHarness()
})
afterAll(async () => harness.close())

test('201: that nobody may approve stands beside the run, in the start’s answer alone', async () => {
  const org = await harness.organization()
  const author = await org.user('Deployer')
  const workspace = await org.workspace({ by: author, criticality: 'production' })
  for (const url of [`/api/pipelines/${workspace.pipelineId}/run`, `${workspace.url}/apply`]) {
    const started = await author.post(url)
    expect(started.statusCode, started.body).toBe(201)
    const { run, warnings } = started.json()
    expect(warnings, url).toEqual(['no_eligible_approver'])
    expect(run).not.toHaveProperty('warnings')
  }
  expect((await author.post(`${workspace.url}/plan`)).json()).not.toHaveProperty('warnings')

  await org.user('Deployer')
  const approvable = await author.post(`${workspace.url}/apply`)
  expect(approvable.json()).not.toHaveProperty('warnings')
})
