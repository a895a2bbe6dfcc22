import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { lockInfo, stateClient, stateOf } from './state-client.ts'
import { runInPhase } from './run-in-phase.ts'

describe('what a state says, and its versions', () => {
  let harness: Harness
  beforeAll(async () => {
    harness = await createHarness()
  })
  afterAll(async () => harness.close())

  const made = async (...states: unknown[]) => {
    const org = await harness.organization()
    const owner = await org.user('Owner')
    const workspace = await org.workspace({ by: owner })
    const client = stateClient(harness.app, workspace, await owner.token())
    const info = lockInfo()
    await client.lock(info)
    for (const state of states) expect((await client.write(state, info.ID)).statusCode).toBe(200)
    await client.unlock(info)
    return { org, owner, workspace, client, url: workspace.url }
  }

  test('200: a Viewer sees resources without attributes and outputs without the sensitive', async () => {
    const { org, url } = await made(stateOf(1))
    const [viewer, deployer] = [await org.user('Viewer'), await org.user('Deployer')]
    const resources = await viewer.get(`${url}/state/resources`)
    expect(resources.json()).toMatchObject({ serial: 1, nextCursor: null })
    expect(resources.json().resources.map(({ address }: { address: string }) => address)).toEqual([
      'module.net.data.terraform_data.read',
      'terraform_data.one["a"]',
      'terraform_data.one["b"]',
    ])
    expect(resources.body).not.toContain('attribute-secret')
    const outputs = await viewer.get(`${url}/outputs`)
    expect(outputs.json().outputs).toEqual([
      { name: 'hidden', type: 'string', value: null, sensitive: true },
      { name: 'open', type: 'string', value: 'serial 1', sensitive: false },
    ])
    expect((await deployer.get(`${url}/outputs`)).json().outputs[0].value).toBe('hunter2')
    for (const path of ['/state', '/state/versions', '/state/versions/1'])
      expect((await viewer.get(`${url}${path}`)).statusCode).toBe(403)
  })

  test('200: resources page by address', async () => {
    const { owner, url } = await made(stateOf(1))
    const first = (await owner.get(`${url}/state/resources?limit=2`)).json()
    const next = `${url}/state/resources?limit=2&cursor=${first.nextCursor}`
    const rest = (await owner.get(next)).json()
    expect([first.resources.length, rest.resources.length, rest.nextCursor]).toEqual([2, 1, null])
  })

  test('200: a workspace without a state has neither resources nor outputs', async () => {
    const { owner, url } = await made()
    expect((await owner.get(`${url}/outputs`)).json()).toMatchObject({ outputs: [] })
    const empty = { serial: null, resources: [], omittedResources: 0, nextCursor: null }
    expect((await owner.get(`${url}/state/resources`)).json()).toEqual(empty)
  })

  test('201: a restored state is a new version, with its large numbers as they were', async () => {
    const text = JSON.stringify(stateOf(1)).replace('"hunter2"', '12345678901234567890')
    const { org, owner, client, url } = await made(text, stateOf(2))
    const deployer = await org.user('Deployer')
    expect((await deployer.post(`${url}/state/versions/1/restore`)).statusCode).toBe(403)
    const restored = await owner.post(`${url}/state/versions/1/restore`)
    expect(restored.statusCode).toBe(201)
    expect(restored.json().version).toMatchObject({ serial: 3, lineage: 'lineage-one' })
    expect((await client.read()).body).toBe(text.replace('"serial":1,', '"serial":3,'))
    const { versions } = (await owner.get(`${url}/state/versions?limit=2`)).json()
    expect(versions.map(({ serial }: { serial: number }) => serial)).toEqual([3, 2])
    expect((await owner.get(`${url}/state/versions/2`)).json().serial).toBe(2)
  })

  test('423, 409 and 404: no restore under a lock, of no version; a waiting run is stale after it', async () => {
    const { org, owner, workspace, url } = await made(stateOf(1))
    await owner.post(`${url}/lock`, {})
    expect((await owner.post(`${url}/state/versions/1/restore`)).statusCode).toBe(423)
    await owner.post(`${url}/unlock`, {})
    for (const serial of ['7', '-1', 'x', '99999999999999999999'])
      expect((await owner.post(`${url}/state/versions/${serial}/restore`)).statusCode).toBe(404)
    const place = { organizationId: org.id, workspaceId: workspace.id, authorUserId: owner.id }
    const run = await runInPhase(harness.deps, place, 'awaiting_approval')
    expect((await owner.post(`${url}/state/versions/1/restore`)).statusCode).toBe(201)
    const ended = (await owner.get(`${url}/runs/${run.id}`)).json().run
    expect(ended).toMatchObject({ state: 'failed', reason: 'plan_stale' })
  })

  test('201 and 409: two restores at once make two versions, or one is refused', async () => {
    const { owner, url } = await made(stateOf(1))
    const both = await Promise.all(
      [1, 2].map(async () => owner.post(`${url}/state/versions/1/restore`)),
    )
    expect(both.map((answer) => answer.json().version.serial).toSorted((a, b) => a - b)).toEqual([
      2, 3,
    ])
  })
})
