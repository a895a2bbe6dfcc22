import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { workspaceRuns } from '../../../store/runs/workspace-runs.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'

describe('DELETE /api/pipelines/{id}', () => {
  let harness: Harness
  beforeAll(async () => {
    // Without a worker a run stays live until the test ends it.
    harness = await createHarness()
  })
  afterAll(async () => harness.close())

  async function aPipeline() {
    const org = await harness.organization()
    const user = await org.user('Deployer')
    const workspace = await org.workspace({ by: user })
    const made = await user.post('/api/pipelines', {
      name: 'own',
      kind: 'infrastructure',
      targetWorkspaceId: workspace.id,
    })
    return { org, user, workspace, url: `/api/pipelines/${made.json().pipeline.id}` }
  }

  test('200: a pipeline without runs is deleted, and its id gets 404', async () => {
    const { user, workspace, url } = await aPipeline()
    const gone = await user.delete(url)
    expect(gone.statusCode, gone.body).toBe(200)
    expect(gone.json()).toEqual({ ok: true })
    expect((await user.get(url)).json()).toEqual({ error: 'Not found', code: 'not_found' })
    expect((await user.delete(url)).statusCode).toBe(404)
    expect((await user.get(`/api/pipelines/${workspace.pipelineId}`)).statusCode).toBe(200)
  })

  test('409: a pipeline with a live run is not deleted; a live run of another pipeline does not matter', async () => {
    const { org, user, workspace, url } = await aPipeline()
    await user.post(`${url}/run`)
    const [run] = (await user.get(`${workspace.url}/runs`)).json().runs
    const refused = await user.delete(url)
    expect(refused.statusCode, refused.body).toBe(409)
    expect(refused.json()).toMatchObject({ code: 'run_in_progress' })
    await harness.deps.store.tenant(org.id, async (tenant) =>
      workspaceRuns(tenant).move(run.id, ['planning'], { phase: 'canceled' }),
    )
    expect((await user.post(`${workspace.url}/apply`)).statusCode).toBe(201)
    const gone = await user.delete(url)
    expect(gone.statusCode, gone.body).toBe(200)
    // Its run is still listed under provision-<workspace>.
    const { runs } = (await user.get(`/api/pipelines/${workspace.pipelineId}/runs`)).json()
    expect(runs).toHaveLength(2)
  })

  test('409: the pipeline of a workspace is deleted only with the workspace', async () => {
    const { user, workspace } = await aPipeline()
    const refused = await user.delete(`/api/pipelines/${workspace.pipelineId}`)
    expect(refused.statusCode).toBe(409)
    expect(refused.json()).toMatchObject({ code: 'managed_pipeline' })
  })
})
