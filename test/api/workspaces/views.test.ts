import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { unwrap } from '../../../store/driver/tenant.ts'
import type { LabelInUse } from '../../../store/labels-in-use.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import type { TestOrganization } from '../../harness/test-organization.ts'
import type { TestUser } from '../../harness/test-user.ts'

const url = '/api/workspace-views'
const toMend = { name: 'To mend', search: { state: 'failed', label: ['team=payments'] } }

describe('shared views of the list of workspaces', () => {
  let harness: Harness
  let org: TestOrganization
  let owner: TestUser
  let viewer: TestUser
  beforeAll(async () => {
    harness = await createHarness()
    org = await harness.organization()
    owner = await org.user('Owner')
    viewer = await org.user('Viewer')
  })
  afterAll(async () => harness.close())

  const entries = async (id: number) =>
    harness.deps.store.tenant(org.id, async (tenant) =>
      unwrap(tenant)
        .db('audit_entries')
        .where({ organizationId: org.id, targetKind: 'workspace_view', targetId: id })
        .orderBy('id'),
    )
  const names = async (user: TestUser) =>
    (await user.get(url)).json().views.map(({ name }: { name: string }) => name)

  test('201: every member reads it, by name; removing it is audited too', async () => {
    const made = await owner.post(url, { ...toMend, name: ' To mend ' })
    expect(made.statusCode, made.body).toBe(201)
    const { view } = made.json()
    expect(view).toMatchObject({ ...toMend, sharedBy: owner.email })
    const other = await org.user('Deployer')
    const second = await other.post(url, { name: 'all mine', search: { q: 'mine' } })
    expect(await names(viewer)).toEqual(['all mine', 'To mend'])
    expect((await other.delete(`${url}/${view.id}`)).statusCode).toBe(200)
    expect(await names(viewer)).toEqual(['all mine'])
    const audited = await entries(view.id)
    expect(audited.map(({ event, detail }) => [event, detail])).toEqual([
      ['workspace.view_shared', { search: toMend.search }],
      ['workspace.view_removed', { search: toMend.search }],
    ])
    expect((await owner.delete(`${url}/${view.id}`)).statusCode).toBe(404)
    await owner.delete(`${url}/${second.json().view.id}`)
  })

  test('400: nothing to show, unknown filters and values, a name that is blank or breaks the line', async () => {
    for (const body of [
      { name: 'x', search: {} },
      { name: 'x' },
      { name: 'x', search: { view: 'favorites' } },
      { name: 'x', search: { state: 'running' } },
      { name: 'x', search: { label: ['Team'] } },
      { name: 'x', search: { q: 'a', cursor: '1' } },
      { name: '  ', search: { q: 'a' } },
      { name: 'a\nb', search: { q: 'a' } },
      { name: 'x'.repeat(41), search: { q: 'a' } },
    ])
      expect((await owner.post(url, body)).statusCode, JSON.stringify(body)).toBe(400)
    expect(await names(owner)).toEqual([])
  })

  test('403: a Viewer shares and removes nothing, and the refusal is audited', async () => {
    const { view } = (await owner.post(url, toMend)).json()
    expect((await viewer.post(url, { ...toMend, name: 'mine' })).statusCode).toBe(403)
    expect((await viewer.delete(`${url}/${view.id}`)).statusCode).toBe(403)
    expect(await names(viewer)).toEqual(['To mend'])
    await owner.delete(`${url}/${view.id}`)
  })

  test('404: another organization neither reads nor removes it, and may use its name', async () => {
    const { view } = (await owner.post(url, toMend)).json()
    const stranger = await (await harness.organization()).user('Owner')
    expect(await names(stranger)).toEqual([])
    expect((await stranger.delete(`${url}/${view.id}`)).statusCode).toBe(404)
    expect((await stranger.post(url, toMend)).statusCode).toBe(201)
    expect(await names(owner)).toEqual(['To mend'])
    await owner.delete(`${url}/${view.id}`)
  })

  test('409: a taken name, in whatever case, and the 51st; also of requests at once', async () => {
    const first = (await owner.post(url, toMend)).json().view
    const taken = await owner.post(url, { ...toMend, name: 'TO MEND' })
    expect(taken.json()).toMatchObject({ code: 'name_taken', existingId: first.id })
    const answers = await Promise.all(
      Array.from({ length: 52 }, async (_, n) => owner.post(url, { ...toMend, name: `n${n}` })),
    )
    const made = answers.filter(({ statusCode }) => statusCode === 201)
    expect(made).toHaveLength(49)
    for (const answer of answers)
      if (answer.statusCode !== 201) expect(answer.json().code).toBe('view_limit')
  })
})

describe('labels in use', () => {
  let harness: Harness
  let org: TestOrganization
  let owner: TestUser
  beforeAll(async () => {
    harness = await createHarness()
    org = await harness.organization()
    owner = await org.user('Owner')
    for (const labels of [
      { team: 'payments', tier: '1' },
      { team: 'payments' },
      { team: 'data' },
    ]) {
      const workspace = await org.workspace({ by: owner })
      expect((await owner.patch(workspace.url, { labels })).statusCode).toBe(200)
      if (labels.team !== 'data') continue
      const made = await owner.post('/api/pipelines', {
        name: 'nightly',
        kind: 'infrastructure',
        targetWorkspaceId: workspace.id,
        labels: { team: 'payments', when: 'night' },
      })
      expect(made.statusCode, made.body).toBe(201)
    }
  })
  afterAll(async () => harness.close())

  const found = async (query = '', user = owner) =>
    (await user.get(`/api/labels${query}`))
      .json()
      .labels.map(
        ({ key, value, workspaces, pipelines }: LabelInUse) =>
          `${key}=${value} ${workspaces} ${pipelines}`,
      )

  test('200: with the number of their uses, those with most first', async () => {
    expect(await found()).toEqual([
      'team=payments 2 1',
      'team=data 1 0',
      'tier=1 1 0',
      'when=night 0 1',
    ])
    expect(await found('?limit=1')).toEqual(['team=payments 2 1'])
  })

  test('200: a part of key=value, whose pattern characters mean themselves', async () => {
    expect(await found('?q=M%3DD')).toEqual(['team=data 1 0'])
    expect(await found('?q=%25')).toEqual([])
    expect(await found('?q=_')).toEqual([])
  })

  test('200: nothing of another organization', async () => {
    expect(await found('', await (await harness.organization()).user('Viewer'))).toEqual([])
  })
})
