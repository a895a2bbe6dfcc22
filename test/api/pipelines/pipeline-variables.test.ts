import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { valuesOfPipeline } from '../../../app/pipelines/values-of-pipeline.ts'
import { applicationPipeline } from '../../harness/application-run.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'

describe('/api/pipelines/{id}/variables', () => {
  let harness: Harness
  beforeAll(async () => {
    harness = await createHarness()
  })
  afterAll(async () => harness?.close())

  const application = async () => {
    const org = await harness.organization()
    const [deployer, viewer, owner] = [
      await org.user('Deployer'),
      await org.user('Viewer'),
      await org.user('Owner'),
    ]
    const pipelineId = await applicationPipeline(harness.deps, org.id)
    return {
      org,
      deployer,
      viewer,
      owner,
      pipelineId,
      url: `/api/pipelines/${pipelineId}/variables`,
    }
  }
  const secret = 'a-secret-of-the-build-4711'

  test('201, 200: a sensitive value is never shown, sealed in the store, and audited without it', async () => {
    const { org, deployer, viewer, owner, pipelineId, url } = await application()
    harness.secrets.note('a build variable', secret)
    const made = await deployer.post(url, {
      key: 'NPM_TOKEN',
      value: secret,
      phase: 'build',
      sensitive: true,
    })
    expect(made.statusCode, made.body).toBe(201)
    const { variable } = made.json()
    expect(variable).toEqual({
      id: expect.any(Number),
      key: 'NPM_TOKEN',
      phase: 'build',
      value: null,
      sensitive: true,
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
    })
    const plain = await deployer.post(url, { key: 'WORD', value: 'hi', phase: 'deploy' })
    expect(plain.json().variable).toMatchObject({ value: 'hi', sensitive: false })
    // The same name in the other phase is another variable.
    expect((await deployer.post(url, { key: 'WORD', value: 'x', phase: 'build' })).statusCode).toBe(
      201,
    )
    const listed = (await viewer.get(url)).json()
    expect(listed.variables.map(({ key, phase, value }: Row) => [key, phase, value])).toEqual([
      ['NPM_TOKEN', 'build', null],
      ['WORD', 'deploy', 'hi'],
      ['WORD', 'build', 'x'],
    ])
    expect((await viewer.post(url, { key: 'X', value: '', phase: 'build' })).statusCode).toBe(403)
    const kept = await harness.deps.store.tenant(org.id, async (tenant) =>
      valuesOfPipeline(harness.deps, tenant, { pipelineId, phase: 'build' }),
    )
    expect(kept).toEqual([
      { key: 'NPM_TOKEN', value: secret, sensitive: true },
      { key: 'WORD', value: 'x', sensitive: false },
    ])
    const { entries } = (await owner.get('/api/audit?event=pipeline.variable_created')).json()
    expect(entries).toHaveLength(3)
    expect(JSON.stringify(entries)).not.toContain(secret)
    const authors = await harness.deps.store
      .platform('pipeline_authorship')
      .where({ pipelineId })
      .select('userId', 'what')
    expect(authors).toContainEqual({ userId: deployer.id, what: 'variable NPM_TOKEN' })
  })

  test('200: a change and a deletion; a sensitive value becomes readable only with a new one', async () => {
    const { deployer, owner, url } = await application()
    const { variable } = (
      await deployer.post(url, { key: 'KEY', value: secret, phase: 'build', sensitive: true })
    ).json()
    const at = `${url}/${variable.id}`
    expect((await deployer.patch(at, { sensitive: false })).statusCode).toBe(400)
    // Nor does a build get to see what only a deployment does, and the other way round.
    for (const change of [{ phase: 'deploy' }, { phase: 'deploy', sensitive: true }])
      expect((await deployer.patch(at, change)).statusCode).toBe(400)
    expect((await deployer.patch(at, { phase: 'build' })).statusCode).toBe(200)
    const open = await deployer.patch(at, { sensitive: false, value: 'open', phase: 'deploy' })
    expect(open.json().variable).toMatchObject({ value: 'open', phase: 'deploy', sensitive: false })
    const { entries } = (await owner.get('/api/audit?event=pipeline.variable_updated')).json()
    expect(entries[0].detail).toEqual({
      variableId: variable.id,
      key: 'KEY',
      sensitive: false,
      phase: 'deploy',
      valueChanged: true,
    })
    expect((await deployer.delete(at)).statusCode).toBe(200)
    expect((await deployer.delete(at)).statusCode).toBe(404)
    expect(
      (await owner.get('/api/audit?event=pipeline.variable_deleted')).json().entries,
    ).toHaveLength(1)
  })

  test('409: a name that is taken, by a new one or a change of phase', async () => {
    const { deployer, url } = await application()
    const first = (await deployer.post(url, { key: 'A', value: '1', phase: 'build' })).json()
      .variable
    const again = await deployer.post(url, { key: 'A', value: '2', phase: 'build' })
    expect([again.statusCode, again.json().existingId]).toEqual([409, first.id])
    const other = (await deployer.post(url, { key: 'A', value: '2', phase: 'deploy' })).json()
      .variable
    const moved = await deployer.patch(`${url}/${other.id}`, { phase: 'build' })
    expect([moved.statusCode, moved.json().existingId]).toEqual([409, first.id])
  })

  test.each([
    ['PATH', 'variable_refused'],
    ['LD_PRELOAD', 'variable_refused'],
    ['CC_COMMIT', 'variable_refused'],
    ['TF_VAR_x', 'variable_refused'],
    ['NODE_OPTIONS', 'variable_refused'],
    ['GIT_SSH_COMMAND', 'variable_refused'],
    ['https_proxy', 'variable_refused'],
    ['a-b', 'validation_failed'],
  ])('400: the name %s is refused', async (key, code) => {
    const { deployer, url } = await application()
    const answer = await deployer.post(url, { key, value: 'x', phase: 'build' })
    expect(answer.statusCode, answer.body).toBe(400)
    if (code === 'variable_refused') expect(answer.json().code).toBe(code)
  })

  test('400: a secret that cannot be masked, an unknown phase, and variables of an infrastructure pipeline', async () => {
    const { org, deployer, owner, url } = await application()
    const short = { key: 'PIN', value: '123', phase: 'build', sensitive: true }
    const refused = await deployer.post(url, short)
    expect([refused.statusCode, refused.json().code]).toEqual([400, 'variable_not_maskable'])
    expect((await deployer.post(url, { key: 'A', value: 'x', phase: 'both' })).statusCode).toBe(400)
    expect((await deployer.post(url, { key: 'A', value: 'x' })).statusCode).toBe(400)
    const workspace = await org.workspace({ by: owner })
    const infra = await deployer.post(`/api/pipelines/${workspace.pipelineId}/variables`, {
      key: 'A',
      value: 'x',
      phase: 'build',
    })
    expect(infra.statusCode).toBe(400)
  })

  test('404: of another organization, and of another pipeline', async () => {
    const [one, other] = [await application(), await application()]
    const { variable } = (
      await other.deployer.post(other.url, { key: 'A', value: 'x', phase: 'build' })
    ).json()
    expect((await one.deployer.get(other.url)).statusCode).toBe(404)
    for (const at of [`${other.url}/${variable.id}`, `${one.url}/${variable.id}`]) {
      expect((await one.deployer.patch(at, { value: 'y' })).statusCode, at).toBe(404)
      expect((await one.deployer.delete(at)).statusCode, at).toBe(404)
    }
  })
})

type Row = { key: string; phase: string; value: string | null }
