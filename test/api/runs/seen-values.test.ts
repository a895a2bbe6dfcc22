import { afterAll, beforeAll, expect, test } from 'vitest'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { simpleFiles } from '../../harness/test-organization.ts'
import { unwrap } from '../../../store/driver/tenant.ts'
import type { TestUser } from '../../harness/test-user.ts'

let harness: Harness
beforeAll(async () => {
  harness = await createHarness()
})
afterAll(async () => harness.close())

const unpinned = {
  'main.tf': 'module "n" {\n  source = "git::https://example.com/team/n?ref=main"\n}\n',
}

/** A production workspace whose files a colleague has approved once, with the variable `src`. */
async function approved(files: Record<string, string> = simpleFiles) {
  const org = await harness.organization()
  const [admin, author, second] = [
    await org.user('Owner'),
    await org.user('Deployer'),
    await org.user('Deployer'),
  ]
  await admin.patch('/api/org/settings', { planApproval: 'unseen' })
  const workspace = await org.workspace({ by: author, criticality: 'production' })
  await author.put(`${workspace.url}/configuration`, { files })
  const variable = { key: 'src', kind: 'terraform', value: './ours', sensitive: false }
  const made = await author.post(`${workspace.url}/variables`, variable)
  expect(made.statusCode, made.body).toBe(201)
  const world = { org, author, second, ...workspace, variableId: made.json().variable.id as number }
  await approve(world, await plan(world))
  return world
}
type World = { author: TestUser; second: TestUser; url: string }

async function plan({ author, url }: World, body: object = {}) {
  const answer = await author.post(`${url}/plan`, body)
  expect(answer.statusCode, answer.body).toBe(201)
  return answer.json().run
}

async function approve({ second, url }: World, run: { id: number; configurationSha256: string }) {
  const { configurationSha256 } = run
  const answer = await second.post(`${url}/runs/${run.id}/approve`, { configurationSha256 })
  expect(answer.statusCode, answer.body).toBe(200)
  return answer.json().run
}

const waits = (reason: RegExp) => ({
  awaitingPlanApproval: true,
  blockedBy: { kind: 'approval', reason: expect.stringMatching(reason) },
})
const goesOn = { awaitingPlanApproval: false }

test('approved files with other values of the run wait again, and the same values do not', async () => {
  const world = await approved()
  expect(await plan(world)).toMatchObject(goesOn)
  const vars = { src: 'git::https://example.com/me/evil' }
  const other = await plan(world, { vars })
  expect(other).toMatchObject(waits(/other values of variables/))
  expect(await approve(world, other)).toMatchObject(goesOn)
  expect(await plan(world, { vars })).toMatchObject(goesOn)
  expect(await plan(world, { vars: { src: 'another' } })).toMatchObject(waits(/other values/))
  expect(await plan(world)).toMatchObject(goesOn)
  const again = await world.author.post(`${world.url}/runs/${other.id}/rerun`, {})
  expect(again.json().run, again.body).toMatchObject(goesOn)
})

test('approved files with a changed variable of the workspace wait again', async () => {
  const world = await approved()
  const variable = `${world.url}/variables/${world.variableId}`
  const set = async (value: string) =>
    expect((await world.author.patch(variable, { value })).statusCode).toBe(200)
  await set('git::https://example.com/me/evil')
  expect(await plan(world)).toMatchObject(waits(/other values of variables/))
  await set('./ours')
  expect(await plan(world)).toMatchObject(goesOn)
  const added = { key: 'COLOR', kind: 'env', value: 'blue', sensitive: false }
  const made = await world.author.post(`${world.url}/variables`, added)
  expect(made.statusCode, made.body).toBe(201)
  expect(await plan(world)).toMatchObject(waits(/other values of variables/))
})

test('a variable that is changed before the approval has the run wait for another one', async () => {
  const world = await approved()
  const waiting = await plan(world, { vars: { more: 1 } })
  const variable = `${world.url}/variables/${world.variableId}`
  await world.author.patch(variable, { value: 'git::https://example.com/me/evil' })
  expect(await approve(world, waiting)).toMatchObject(waits(/other values of variables/))
  expect(await approve(world, waiting)).toMatchObject(goesOn)
})

test('files with modules that can change wait each time', async () => {
  const world = await approved(unpinned)
  const waiting = await plan(world)
  expect(waiting).toMatchObject(waits(/modules that are not part of them/))
  expect(await approve(world, waiting)).toMatchObject(goesOn)
  expect(await plan(world)).toMatchObject(waits(/modules that are not part of them/))
})

test('approvals and files from before an upgrade count as unseen, until they are seen again', async () => {
  const world = await approved()
  const before = async (table: string, change: object) =>
    harness.deps.store.tenant(world.org.id, async (tenant) =>
      unwrap(tenant).db(table).where({ workspaceId: world.id }).update(change),
    )
  await before('configuration_versions', { localModules: null })
  expect(await plan(world)).toMatchObject(waits(/modules/))
  await world.author.put(`${world.url}/configuration`, { files: simpleFiles })
  expect(await plan(world)).toMatchObject(goesOn)
  await before('workspace_runs', { variablesDigest: null })
  const waiting = await plan(world)
  expect(waiting).toMatchObject(waits(/other values/))
  await approve(world, waiting)
  expect(await plan(world)).toMatchObject(goesOn)
})
