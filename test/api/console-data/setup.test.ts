import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readConfig } from '../../../config.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'

let harness: Harness
beforeAll(async () => {
  harness = await createHarness({ mail: 'unsent', env: { CC_SANDBOX: 'process' } })
})
afterAll(async () => harness.close())

const url = '/api/console/data'

test('200: an Owner reads what is set up, step by step; others read null', async () => {
  const [org, other] = [await harness.organization(), await harness.organization()]
  // What another organization has counts nowhere else.
  const theirs = await other.user('Owner')
  await theirs.post(`${(await other.workspace({ by: theirs })).url}/apply`, {})
  await other.user('Owner')
  const owner = await org.user('Owner')
  const setup = async () => (await owner.get(url)).json().setup
  const nothing = {
    mailServer: false,
    sandbox: 'process',
    keyringGenerated: false,
    owners: 1,
    hasColleague: false,
    hasRun: false,
    hasGitConnection: false,
    hasCloudAccount: false,
    hasPolicy: false,
    hasIdentityProvider: false,
  }
  expect(await setup()).toEqual(nothing)
  const workspace = await org.workspace({ by: owner })
  await owner.post(`${workspace.url}/apply`, {})
  await owner.post('/api/policies', {
    name: 'none',
    rego: 'package cloudcontrol\n\ndeny contains "never" if {\n  false\n}\n',
    enforcement: 'advisory',
    workspaces: 'all',
  })
  expect(await setup()).toEqual({ ...nothing, hasRun: true, hasPolicy: true })
  const second = await org.user('Owner')
  expect(await setup()).toMatchObject({ owners: 2, hasColleague: true })
  await owner.patch(`/api/org/users/${second.id}`, { active: false })
  expect(await setup()).toMatchObject({ owners: 1, hasColleague: false })
  for (const role of ['Viewer', 'Deployer', 'Org Admin'] as const) {
    const data = (await (await org.user(role)).get(url)).json()
    expect(data.setup, role).toBeNull()
  }
  const byToken = await harness.app.inject({
    url,
    headers: { authorization: `Bearer ${await owner.token('Owner')}` },
  })
  expect(byToken.json().setup).toBeNull()
})

test('a keyring is a generated one where it is the file beside the data', () => {
  const { config } = harness
  const read = (keyring: string, dataDir = config.dataDir) =>
    readConfig({
      DATABASE_URL: 'postgres://a:b@127.0.0.1/c',
      TEMPORAL_ADDRESS: '127.0.0.1:7233',
      CC_DATA_DIR: dataDir,
      CC_KEYRING: keyring,
    }).keyringIsGenerated
  const key = `a=${Buffer.alloc(32).toString('base64')}`
  expect(read(key)).toBe(false)
  // The file is not there, which is a fault of its own.
  expect(() => read(`@${join(config.dataDir, 'keyring')}`)).toThrow(/cannot be read/)
})
