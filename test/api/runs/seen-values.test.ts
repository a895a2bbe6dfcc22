import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { simpleFiles, type TestOrganization } from '../../harness/test-organization.ts'
import { promoteNext } from '../../../app/runs/promote-next.ts'
import { unwrap, type Tenant } from '../../../store/driver/tenant.ts'
import { runOverrides } from '../../../store/runs/run-overrides.ts'
import { findRunOfStep } from '../../../store/runs/run-of-step.ts'
import { workspaceRuns } from '../../../store/runs/workspace-runs.ts'
import { workspaces } from '../../../store/workspaces/workspaces.ts'
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
  const variableId = made.json().variable.id as number
  const world = { org, admin, author, second, ...workspace, variableId }
  await approve(world, await plan(world))
  return world
}
type World = { org: TestOrganization; author: TestUser; second: TestUser; id: number; url: string }

const inTenant = async <T>({ org }: World, work: (tenant: Tenant) => Promise<T>) =>
  harness.deps.store.tenant(org.id, work)

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

const shown = async ({ author, url }: World, { id }: { id: number }) =>
  (await author.get(`${url}/runs/${id}`)).json().run

/** The stages of a run that the second person is mailed about. */
const mailed = async (world: World, { id }: { id: number }) =>
  inTenant(world, async (tenant) => {
    const mails = await unwrap(tenant)
      .db('mails')
      .where({ workspaceRunId: id, userId: world.second.id })
      .orderBy('id')
      .select('detail')
    return mails.map(({ detail }) => detail.stage)
  })
const againMailed = expect.stringMatching(/^plan [0-9a-f]{12}$/)

const startApply = async ({ author, url }: World, body: object) =>
  (await author.post(`${url}/apply`, body)).json().run

/** A run of the workspace has the turn until it is given to the next. */
async function takenTurn(world: World) {
  const { id, stages } = await startApply(world, {})
  expect(stages).toMatchObject([{ state: 'running' }, {}, {}])
  return async () =>
    inTenant(world, async (tenant) => {
      await workspaces(tenant).getForUpdate(world.id)
      await workspaceRuns(tenant).move(id, ['planning'], { phase: 'failed' })
      await promoteNext(tenant, world.id)
    })
}

/** A run with values of its own, which was approved while another run had the turn. */
async function approvedBehind(world: World) {
  const run = await startApply(world, { vars: { more: 1 } })
  expect(run).toMatchObject(waits(/other values/))
  const giveTurn = await takenTurn(world)
  expect(await approve(world, run)).toMatchObject(goesOn)
  return { run, giveTurn }
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

test('409: an approval whose values changed since it was asked for; of the new ones it holds', async () => {
  const world = await approved()
  const waiting = await plan(world, { vars: { more: 1 } })
  const variable = `${world.url}/variables/${world.variableId}`
  await world.author.patch(variable, { value: 'git::https://example.com/me/evil' })
  const { configurationSha256 } = waiting
  const refused = await world.second.post(`${world.url}/runs/${waiting.id}/approve`, {
    configurationSha256,
  })
  expect([refused.statusCode, refused.json().code]).toEqual([409, 'plan_changed'])
  expect(await shown(world, waiting)).toMatchObject(waits(/other values of variables/))
  expect(await mailed(world, waiting)).toEqual(['plan', againMailed])
  expect(await approve(world, waiting)).toMatchObject(goesOn)
  expect(await mailed(world, waiting)).toEqual(['plan', againMailed])
})

test('an approved run whose values change while another has the turn waits again, with a mail', async () => {
  const world = await approved()
  const { run, giveTurn } = await approvedBehind(world)
  const variable = `${world.url}/variables/${world.variableId}`
  await world.author.patch(variable, { value: 'git::https://example.com/me/evil' })
  await giveTurn()
  expect(await shown(world, run)).toMatchObject(waits(/other values of variables/))
  expect(await mailed(world, run)).toEqual(['plan', againMailed])
  const sent = async () =>
    inTenant(world, async (tenant) =>
      unwrap(tenant)
        .db('mails')
        .where({ workspaceRunId: run.id, userId: world.second.id, outcome: 'sent' })
        .whereRaw(`detail ->> 'stage' like 'plan %'`),
    )
  await vi.waitFor(async () => expect(await sent()).toHaveLength(1), 20_000)
})

test('a run that needs no second look by its turn is bound to no values', async () => {
  const world = await approved()
  const { run, giveTurn } = await approvedBehind(world)
  const boundTo = async () =>
    inTenant(world, async (tenant) => (await workspaceRuns(tenant).get(run.id)).variablesDigest)
  expect(await boundTo()).not.toBeNull()
  const settings = { planApproval: 'none' }
  expect((await world.admin.patch('/api/org/settings', settings)).statusCode).toBe(200)
  await giveTurn()
  expect(await shown(world, run)).toMatchObject({ stages: [{ state: 'running' }, {}, {}] })
  expect(await boundTo()).toBeNull()
})

test('values that a process from before the upgrade stored without their hash are unseen', async () => {
  const world = await approved()
  const giveTurn = await takenTurn(world)
  const run = await startApply(world, { vars: { src: 'git::https://example.com/me/evil' } })
  await inTenant(world, async (tenant) =>
    unwrap(tenant).db('workspace_runs').where({ id: run.id }).update({ overridesMac: null }),
  )
  await giveTurn()
  expect(await shown(world, run)).toMatchObject(waits(/other values of variables/))
  const { run: ofStep } = await findRunOfStep(harness.deps.store, world.org.id, run.id)
  const mac = await inTenant(world, async (tenant) => runOverrides(tenant).mac(run.id))
  expect([mac?.toString(), ofStep.overridesMac?.toString()]).toEqual(Array(2).fill(`run ${run.id}`))
  expect(await approve(world, run)).toMatchObject(goesOn)
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
  await before('configuration_versions', { localModules: null, fileBlobs: null })
  expect(await plan(world)).toMatchObject(waits(/before it was noted whether their modules/))
  await world.author.put(`${world.url}/configuration`, { files: simpleFiles })
  expect(await plan(world)).toMatchObject(goesOn)
  await before('workspace_runs', { variablesDigest: null })
  const waiting = await plan(world)
  expect(waiting).toMatchObject(waits(/other values/))
  await approve(world, waiting)
  expect(await plan(world)).toMatchObject(goesOn)
})
