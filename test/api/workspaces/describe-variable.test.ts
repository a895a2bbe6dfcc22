import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { unwrap } from '../../../store/driver/tenant.ts'
import { approvalWorld } from '../runs/approval-world.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { ownedWorkspace } from '../../harness/owned-workspace.ts'

describe('the description of a variable', () => {
  let harness: Harness
  beforeAll(async () => {
    harness = await createHarness()
  })
  afterAll(async () => harness.close())

  test('201 and 200: it is kept, changed alone, and emptied', async () => {
    const { owner, url } = await ownedWorkspace(harness, 'Deployer')
    const body = { key: 'size', value: '3', description: 'Nodes of the cluster' }
    const { variable } = (await owner.post(`${url}/variables`, body)).json()
    expect(variable.description).toBe('Nodes of the cluster')
    const place = `${url}/variables/${variable.id}`
    const changed = await owner.patch(place, { description: 'Nodes, at least 3' })
    expect(changed.json().variable).toMatchObject({ description: 'Nodes, at least 3', value: '3' })
    // A change of something else leaves it.
    expect((await owner.patch(place, { value: '4' })).json().variable.description).toBe(
      'Nodes, at least 3',
    )
    expect((await owner.patch(place, { description: '' })).json().variable.description).toBe('')
    const without = await owner.post(`${url}/variables`, { key: 'other', value: '' })
    expect(without.json().variable.description).toBe('')
  })

  test('200: a new description alone leaves a waiting plan approvable, and is audited once', async () => {
    const org = await harness.organization()
    const [author, second] = [await org.user('Deployer'), await org.user('Deployer')]
    const workspace = await org.workspace({ by: author, criticality: 'production' })
    const url = `${workspace.url}/variables`
    const { variable } = (await author.post(url, { key: 'size', value: '3' })).json()
    const { id } = await approvalWorld(harness).waitingRun(org, author, workspace)
    const waits = async () => (await author.get(`${workspace.url}/runs/${id}`)).json().run
    const text = 'Nodes of the cluster'
    for (let n = 0; n < 2; n += 1)
      expect((await second.patch(`${url}/${variable.id}`, { description: text })).statusCode).toBe(
        200,
      )
    expect(await waits()).toMatchObject({ state: 'running', awaitingApproval: true })
    // Who only described it did not become an author of the run.
    const mayApprove = async () =>
      (await second.get(`${workspace.url}/runs/${id}`)).json().run.mayApprove
    expect(await mayApprove()).toBe(true)
    const entries = await harness.deps.store.tenant(org.id, async (tenant) =>
      unwrap(tenant).db('audit_entries').where({ event: 'workspace.variable_updated' }),
    )
    expect(entries).toHaveLength(1)
    expect(entries[0].detail).toMatchObject({ valueChanged: false, descriptionChanged: true })
    await second.patch(`${url}/${variable.id}`, { value: '4', description: text })
    expect(await waits()).not.toMatchObject({ awaitingApproval: true })
  })

  test('400: more than 500 characters, a second line, text of another direction', async () => {
    const { owner, url } = await ownedWorkspace(harness, 'Deployer')
    for (const description of ['x'.repeat(501), 'one\ntwo', 'left \u202e right', 7, null])
      expect(
        (await owner.post(`${url}/variables`, { key: 'a', value: '', description })).statusCode,
        String(description).slice(0, 20),
      ).toBe(400)
  })

  test('404: to another organization the variable does not exist', async () => {
    const { owner, url } = await ownedWorkspace(harness, 'Deployer')
    const { variable } = (await owner.post(`${url}/variables`, { key: 'a', value: '' })).json()
    const stranger = await (await harness.organization()).user('Owner')
    const answer = await stranger.patch(`${url}/variables/${variable.id}`, { description: 'mine' })
    expect(answer.statusCode).toBe(404)
  })
})
