import { unwrap } from '../../../store/driver/tenant.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { simpleFiles } from '../../harness/test-organization.ts'
import { runInPhase } from './run-in-phase.ts'

describe('PUT /api/workspaces/{id}/configuration', () => {
  let harness: Harness
  beforeAll(async () => {
    harness = await createHarness()
  })
  afterAll(async () => harness.close())

  test('201, then 200: new content creates a version, the same content returns the newest version', async () => {
    const org = await harness.organization()
    const user = await org.user('Deployer')
    const workspace = await org.workspace({ by: user })
    const files = { ...simpleFiles, 'modules/a/a.tf': '# a' }
    const made = await user.put(`${workspace.url}/configuration`, { files })
    expect(made.statusCode).toBe(201)
    expect(made.json().configuration).toMatchObject({
      number: 2,
      fileNames: ['main.tf', 'modules/a/a.tf'],
      authors: [{ id: user.id, label: user.email }],
    })
    const again = await user.put(`${workspace.url}/configuration`, { files })
    expect(again.statusCode).toBe(200)
    expect(again.json().configuration.number).toBe(2)

    const viewer = await org.user('Viewer')
    const read = (await viewer.get(`${workspace.url}/configuration`)).json().configuration
    expect(read).toMatchObject({ number: 2, files })
    const { versions } = (await viewer.get(`${workspace.url}/configuration/versions`)).json()
    expect(versions.map((version: { number: number }) => version.number)).toEqual([2, 1])
    expect((await viewer.put(`${workspace.url}/configuration`, { files })).statusCode).toBe(403)
  })

  test('400 before 409: files that are refused, of a workspace whose files come from Git', async () => {
    const org = await harness.organization()
    const user = await org.user('Deployer')
    const workspace = await org.workspace({ by: user })
    const { platform } = harness.deps.store
    await platform('workspaces').where({ id: workspace.id }).update({ sourceKind: 'git' })
    const put = async (files: Record<string, string>) => {
      const answer = await user.put(`${workspace.url}/configuration`, { files })
      return [answer.statusCode, answer.json().code]
    }
    const encrypted = { 'main.tf': 'terraform {\n  encryption {}\n}\n' }
    expect(await put(encrypted)).toEqual([400, 'configuration_refused'])
    expect(await put(simpleFiles)).toEqual([409, 'source_is_git'])
  })

  test('200: an older version is read by its number; null for an unknown number', async () => {
    const org = await harness.organization()
    const user = await org.user('Deployer')
    const workspace = await org.workspace({ by: user })
    await org.workspace({ by: user, files: { 'main.tf': '# of another workspace' } })
    await user.put(`${workspace.url}/configuration`, { files: { 'main.tf': '# newer' } })
    const viewer = await org.user('Viewer')
    const read = async (version: number | string, by = viewer) =>
      by.get(`${workspace.url}/configuration?version=${version}`)
    const older = (await read(1)).json().configuration
    expect(older).toMatchObject({ number: 1, files: simpleFiles })
    expect((await read(2)).json().configuration.files).toEqual({ 'main.tf': '# newer' })
    expect((await read(3)).json()).toEqual({ configuration: null })
    for (const version of [0, 'x', 2 ** 31]) expect((await read(version)).statusCode).toBe(400)
    const stranger = await (await harness.organization()).user('Owner')
    expect((await read(1, stranger)).statusCode).toBe(404)
  })

  test('201: files are encrypted in the database', async () => {
    const org = await harness.organization()
    const secret = 'a-password-in-a-file'
    await org.workspace({ files: { 'main.tf': `# ${secret}` } })
    const rows = await harness.deps.store.tenant(org.id, async (tenant) =>
      unwrap(tenant).db('configuration_versions').select('files'),
    )
    expect(rows.length).toBe(1)
    expect(rows.some(({ files }: { files: Buffer }) => files.includes(secret))).toBe(false)
  })

  test('400: paths outside the folder, and paths of the service’s own files', async () => {
    const org = await harness.organization()
    const user = await org.user('Owner')
    const workspace = await org.workspace({ by: user })
    const hostile = [
      '../main.tf',
      '/etc/passwd',
      'a/../../b.tf',
      'a//b.tf',
      './a.tf',
      'a\\b.tf',
      'C:/a.tf',
      'a\nb.tf',
      '.terraform/modules/modules.json',
      'sub/.terraform/x',
      'terraform.tfstate',
      'zz_cloud_control_backend_override.tf.json',
      'sub/ZZ_cloud_control_x.tf',
      'zzz_override.tf',
      'zzz_override.tofu.json',
      `${'a'.repeat(256)}.tf`,
      `${'ä'.repeat(140)}.tf`,
      '\ud800.tf',
      'main.tf/below.tf',
    ]
    for (const name of hostile) {
      const files = { ...simpleFiles, [name]: '' }
      const refused = await user.put(`${workspace.url}/configuration`, { files })
      expect(refused.statusCode, name).toBe(400)
    }
    const up = await user.put(`${workspace.url}/configuration`, {
      files: { ...simpleFiles, '../main.tf': '' },
    })
    expect(up.json().details).toEqual([
      { path: 'files["../main.tf"]', message: expect.stringContaining('may not leave') },
    ])
    const others = [{}, { 'readme.md': '' }, { 'sub/main.tf': '' }]
    for (const files of others)
      expect((await user.put(`${workspace.url}/configuration`, { files })).statusCode).toBe(400)
    const proto = '{"files":{"main.tf":"","__proto__":"x"}}'
    const refused = await harness.app.inject({
      method: 'PUT',
      url: `${workspace.url}/configuration`,
      headers: {
        authorization: `Bearer ${await user.token()}`,
        'content-type': 'application/json',
      },
      payload: proto,
    })
    expect(refused.statusCode).toBe(400)
    expect((await user.get(workspace.url)).json().workspace.configurationVersion).toBe(1)
  })

  test('400: an encryption block, and programs that the author chose, with file and line', async () => {
    const org = await harness.organization()
    const user = await org.user('Owner')
    const workspace = await org.workspace({ by: user })
    const put = async (more: Record<string, string>) =>
      user.put(`${workspace.url}/configuration`, { files: { ...simpleFiles, ...more } })
    const native = '# a\nterraform {\n  encryption {\n  }\n}\n'
    const json = '{"terra\\u0066orm": [{\n"encr\\u0079ption": {}}]}'
    const hostile: Array<[name: string, text: string, line: number | undefined]> = [
      ['x.tf', native, 3],
      ['x_override.tf', native, 3],
      ['x.tofu', native, 3],
      ['modules/a/x.tf', native, 3],
      ['x.tf.json', json, 2],
      ['override.tofu.json', json, 2],
      ['terraform.d/plugins/registry.opentofu.org/a/b/1.0.0/linux_amd64/p', 'x', undefined],
      ['.terraform/providers/x', 'x', undefined],
      ['.tofurc', 'x', undefined],
      ['a/.terraformrc', 'x', undefined],
    ]
    for (const [name, text, line] of hostile) {
      const refused = await put({ [name]: text })
      expect(refused.statusCode, name).toBe(400)
      expect(refused.json()).toMatchObject({
        code: 'configuration_refused',
        error: expect.stringContaining(name),
        details: [{ path: `files["${name}"]`, ...(line && { line }) }],
      })
    }
    expect((await put({ 'note.txt': native })).statusCode).toBe(201)
  })

  test('201: the .tf files must be in the workspace’s folder', async () => {
    const org = await harness.organization()
    const user = await org.user('Owner')
    const workspace = await org.workspace({ by: user })
    await user.patch(workspace.url, { path: 'envs/prod' })
    const files = { 'envs/prod/main.tf': '# here' }
    expect((await user.put(`${workspace.url}/configuration`, { files })).statusCode).toBe(201)
    const top = { 'main.tf': '# elsewhere' }
    expect((await user.put(`${workspace.url}/configuration`, { files: top })).statusCode).toBe(400)
  })

  test('413: more than 10 MiB, and 201 just below', async () => {
    const org = await harness.organization()
    const user = await org.user('Owner')
    const workspace = await org.workspace({ by: user })
    const ofSize = (bytes: number) => ({ files: { 'main.tf': '#'.repeat(bytes) } })
    const url = `${workspace.url}/configuration`
    expect((await user.put(url, ofSize(10 * 1_048_576))).statusCode).toBe(413)
    expect((await user.put(url, ofSize(10 * 1_048_576 - 100))).statusCode).toBe(201)
  })

  test('201: a waiting run becomes stale when the files change; two concurrent requests get different numbers', async () => {
    const org = await harness.organization()
    const user = await org.user('Owner')
    const workspace = await org.workspace({ by: user })
    const place = { organizationId: org.id, workspaceId: workspace.id, authorUserId: user.id }
    const run = await runInPhase(harness.deps, place, 'awaiting_approval')
    const puts = ['# 1', '# 2', '# 3'].map((text) =>
      user.put(`${workspace.url}/configuration`, { files: { 'main.tf': text } }),
    )
    const numbers = (await Promise.all(puts)).map((put) => put.json().configuration.number)
    expect(numbers.toSorted((a, b) => a - b)).toEqual([2, 3, 4])
    const ended = (await user.get(`${workspace.url}/runs/${run.id}`)).json().run
    expect(ended).toMatchObject({ state: 'failed', reason: 'plan_stale' })
  })

  test('404: another organization’s workspace', async () => {
    const workspace = await (await harness.organization()).workspace()
    const stranger = await (await harness.organization()).user('Owner')
    const answers = [
      await stranger.put(`${workspace.url}/configuration`, { files: simpleFiles }),
      await stranger.put(`${workspace.url}/configuration`, { files: 3 }),
      await stranger.get(`${workspace.url}/configuration`),
      await stranger.get(`${workspace.url}/configuration/versions`),
    ]
    for (const answer of answers) expect(answer.statusCode).toBe(404)
  })
})
