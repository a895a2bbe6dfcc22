import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { lockInfo, stateClient } from '../workspaces/state-client.ts'
import { bucket, withBuckets } from '../workspaces/with-buckets.ts'
import { connectedAccount, resourceRows } from '../../harness/clouds/cloud-rows.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'

describe('GET /api/cloud/resources/imports', () => {
  let harness: Harness
  beforeAll(async () => {
    harness = await createHarness()
  })
  afterAll(async () => harness.close())

  const made = async () => {
    const org = await harness.organization()
    const owner = await org.user('Owner')
    const accountId = await connectedAccount(harness, org.id)
    const at = { organizationId: org.id, accountId }
    return { org, owner, at, viewer: await org.user('Viewer') }
  }

  test('200: a block for each that matches; what is held, and what has no rule, is a comment', async () => {
    const { org, owner, at, viewer } = await made()
    const workspace = await org.workspace({ by: owner })
    const client = stateClient(harness.app, workspace, await owner.token())
    const info = lockInfo()
    await client.lock(info)
    expect((await client.write(withBuckets(1, ['held']), info.ID)).statusCode).toBe(200)
    await resourceRows(harness, at, [
      { cloudId: bucket('held') },
      { cloudId: bucket('free'), name: '"\n}\nresource "x" "y" {}' },
      { cloudId: 'arn:aws:braket:eu-west-1:1:device/x', service: 'braket' },
      { cloudId: bucket('gone'), state: 'gone' },
    ])
    const all = await viewer.get('/api/cloud/resources/imports')
    expect(all.statusCode, all.body).toBe(200)
    expect(all.headers['content-type']).toBe('text/plain; charset=utf-8')
    expect(all.body).toContain(
      '# in "eu-west-1"\nimport {\n  to = aws_s3_bucket.resource_x_y\n  id = "free"\n}\n',
    )
    expect(all.body).toContain(
      `# "${bucket('held')}" is "aws_s3_bucket.b[\\"held\\"]" of the workspace "${workspace.name}".`,
    )
    expect(all.body).toContain('# There is no rule for "arn:aws:braket:eu-west-1:1:device/x"')
    expect(all.body).not.toContain('gone')
    for (const state of ['gone', 'all']) {
      const { body } = await viewer.get(`/api/cloud/resources/imports?state=${state}`)
      expect(body).toContain(`# "${bucket('gone')}" is gone: there is nothing to import.`)
      expect(body).not.toContain('id = "gone"')
    }
    const some = await viewer.get('/api/cloud/resources/imports?managed=false&service=s3')
    expect(some.body).toContain('id = "free"')
    expect(some.body).not.toContain('held')
    expect(some.body).not.toContain('braket')
  })

  test('200: at most 200 blocks, and a word about the rest', async () => {
    const { at, viewer } = await made()
    await resourceRows(
      harness,
      at,
      Array.from({ length: 201 }, (_, n) => ({ cloudId: bucket(`b${n}`), name: 'same' })),
    )
    const { body } = await viewer.get('/api/cloud/resources/imports')
    expect(body.match(/^import \{$/gm)).toHaveLength(200)
    expect(new Set(body.match(/^ {2}to = .*$/gm)).size).toBe(200)
    expect(body.endsWith('\n# There are more than 200: narrow the filters.\n')).toBe(true)
  })

  test('400, 404: unknown parameters, and accounts and workspaces of other organizations', async () => {
    const [one, two] = [await made(), await made()]
    const foreign = await two.org.workspace({ by: two.owner })
    const status = async (query: string) =>
      (await one.viewer.get(`/api/cloud/resources/imports?${query}`)).statusCode
    for (const query of ['limit=1', 'cursor=x', 'q=ab', 'provider=oci', 'bogus=1'])
      expect([query, await status(query)]).toEqual([query, 400])
    expect(await status(`accountId=${two.at.accountId}`)).toBe(404)
    expect(await status(`workspaceId=${foreign.id}`)).toBe(404)
    await resourceRows(harness, two.at, [{ cloudId: bucket('theirs') }])
    const { body } = await one.viewer.get('/api/cloud/resources/imports')
    expect(body).not.toContain('theirs')
  })
})
