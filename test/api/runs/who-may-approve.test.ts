import { unwrap } from '../../../store/driver/tenant.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { approvals } from '../../../store/runs/approvals.ts'
import { workspaceRuns } from '../../../store/runs/workspace-runs.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import type { TestOrganization } from '../../harness/test-organization.ts'
import type { TestUser } from '../../harness/test-user.ts'
import { scimClient } from '../scim/scim-client.ts'
import { approvalWorld, refused, type ApprovalWorld } from './approval-world.ts'

let harness: Harness
let world: ApprovalWorld
beforeAll(async () => {
  harness = await createHarness()
  world = approvalWorld(harness)
})
afterAll(async () => harness.close())

describe('an author creates their own approver', () => {
  const ways: Array<[string, (org: TestOrganization, author: TestUser) => Promise<TestUser>]> = [
    ['invited', async (org, author) => world.invite(org, author)],
    [
      're-addressed',
      async (org, author) => {
        const person = await org.user('Deployer')
        await world.change(author, person, { email: `other-${person.email}` })
        return person
      },
    ],
    [
      'reactivated',
      async (org, author) => {
        const person = await org.user('Deployer')
        await world.change(await org.user('Owner'), person, { active: false })
        await world.change(author, person, { active: true })
        return world.signIn(org, person)
      },
    ],
    [
      'promoted',
      async (org, author) => {
        const person = await org.user('Viewer')
        await world.change(author, person, { role: 'Deployer' })
        return person
      },
    ],
    [
      'invited somebody who invited',
      async (org, author) => world.invite(org, await world.invite(org, author, 'Org Admin')),
    ],
    [
      'invited, through somebody whom they promoted afterwards',
      async (org, author) => {
        const admin = await org.user('Org Admin')
        const person = await world.invite(org, admin)
        await world.change(author, admin, { role: 'Viewer' })
        await world.change(author, admin, { role: 'Org Admin' })
        return person
      },
    ],
  ]
  test.each(ways)('403: %s since the last apply', async (_, make) => {
    const org = await harness.organization()
    const author = await org.user('Org Admin')
    const workspace = await org.workspace({ by: author, criticality: 'production' })
    const puppet = await make(org, author)
    const run = await world.waitingRun(org, author, workspace)
    const body = await world.seen(puppet, workspace, run)
    expect(body.blockedBy.whoCanAct.join()).not.toContain(puppet.email)
    expect(body).toMatchObject({
      mayApprove: false,
      mayReject: true,
      because: { mayApprove: 'approver_made_by_author' },
    })
    expect((await puppet.get('/api/console/data')).json().waitingForMe).toEqual([])
    expect(await world.verdict(puppet, run)).toBe(refused)

    const other = await org.user('Deployer')
    const asOther = await world.seen(other, workspace, run)
    expect(asOther).toMatchObject({
      mayApprove: true,
      blockedBy: { whoCanAct: expect.arrayContaining([other.email]) },
    })
    expect((await other.get('/api/console/data')).json().waitingForMe).toHaveLength(1)
    expect(await world.verdict(other, run)).toBe('approved')
  })

  test('201: without another person the answer to the start warns that no one may approve', async () => {
    const org = await harness.organization()
    const author = await org.user('Org Admin')
    const workspace = await org.workspace({ by: author, criticality: 'production' })
    await world.invite(org, author)
    expect((await world.waitingRun(org, author, workspace)).warnings).toEqual([
      'no_eligible_approver',
    ])
  })

  test('200: a person may approve who is older than the workspace, or whom no author created', async () => {
    const org = await harness.organization()
    const author = await org.user('Org Admin')
    const early = await world.invite(org, author)
    const workspace = await org.workspace({ by: author, criticality: 'production' })
    const byOther = await world.invite(org, await org.user('Org Admin'))
    expect(await world.verdict(early, await world.waitingRun(org, author, workspace))).toBe(
      'approved',
    )
    const second = await org.workspace({ by: author, criticality: 'production' })
    expect(await world.verdict(byOther, await world.waitingRun(org, author, second))).toBe(
      'approved',
    )
  })

  test('403, then 200: only an apply that a second person approved clears earlier promotions', async () => {
    const org = await harness.organization()
    const author = await org.user('Org Admin')
    const workspace = await org.workspace({ by: author, criticality: 'production' })
    const puppet = await world.invite(org, author)
    // The author's run without changes needed no approval.
    const idle = await author.post(`${workspace.url}/apply`)
    await harness.deps.store.tenant(org.id, async (tenant) =>
      workspaceRuns(tenant).move(idle.json().run.id, ['queued', 'planning'], {
        phase: 'succeeded',
        reason: 'no_changes',
      }),
    )
    const run = await world.waitingRun(org, author, workspace)
    expect(await world.verdict(puppet, run)).toBe(refused)
    const second = await org.user('Deployer')
    expect(await world.verdict(second, run)).toBe('approved')
    await harness.deps.store.tenant(org.id, async (tenant) => {
      const { db } = unwrap(tenant)

      const attempt = { organizationId: org.id, workspaceRunId: run.id, fence: 1, worker: 'test' }
      await db('apply_attempts').insert(attempt)
      await db('workspace_runs').where({ id: run.id }).update({ phase: 'succeeded' })
    })
    expect(await world.verdict(puppet, await world.waitingRun(org, author, workspace))).toBe(
      'approved',
    )
  })
})

describe('an author who is removed and added again', () => {
  const ways: Array<[string, (org: TestOrganization, author: TestUser) => Promise<number>]> = [
    [
      'by an invitation',
      async (org, { email }) => {
        const person = { email: email.toUpperCase(), name: 'Again', role: 'Deployer' }
        const answer = await (await org.user('Owner')).post('/api/org/users', person)
        expect(answer.statusCode, answer.body).toBe(201)
        return answer.json().user.id
      },
    ],
    [
      'by SCIM, with the address as the user name alone',
      async (org, { email }) => {
        const { id: publicId } = await (
          await scimClient(harness, org)
        ).user(email, {
          emails: [{ value: `other-${email}`, primary: true }],
        })
        const { id } = await harness.deps.store.tenant(org.id, async (tenant) =>
          unwrap(tenant).db('users').where({ publicId }).first('id'),
        )
        await world.change(await org.user('Owner'), { id }, { role: 'Deployer' })
        return id
      },
    ],
  ]
  test.each(ways)('403: %s', async (_, addAgain) => {
    const org = await harness.organization()
    const [author, second] = [await org.user('Deployer'), await org.user('Deployer')]
    const workspace = await org.workspace({ by: author, criticality: 'production' })
    const removed = await (await org.user('Owner')).delete(`/api/org/users/${author.id}`)
    expect(removed.statusCode, removed.body).toBe(200)
    const id = await addAgain(org, author)
    const again = await world.signIn(org, { id, email: author.email })
    const run = await world.waitingRun(org, second, workspace)

    expect(await world.verdict(again, run)).toBe('403 approver_is_author')

    const seen = await harness.deps.store.tenant(org.id, async (tenant) => {
      const waiting = await workspaceRuns(tenant).get(run.id)
      const own = {
        workspaceRunId: run.id,
        userId: id,
        stage: 'plan',
        decision: 'approved',
      } as const
      await approvals(tenant).create({ ...own, comment: null, planDigest: 'x', credential: null })
      return approvals(tenant).unseenBecause(waiting, 'x')
    })
    expect(seen).toBe('files')
    expect(await world.verdict(await org.user('Deployer'), run)).toBe('approved')
  })

  test('403: whom they invited before they were removed', async () => {
    const org = await harness.organization()
    const author = await org.user('Org Admin')
    const workspace = await org.workspace({
      by: await org.user('Deployer'),
      criticality: 'production',
    })
    const puppet = await world.invite(org, author)
    const owner = await org.user('Owner')
    expect((await owner.delete(`/api/org/users/${author.id}`)).statusCode).toBe(200)
    const person = { email: author.email, name: 'Again', role: 'Deployer' }
    const { id } = (await owner.post('/api/org/users', person)).json().user
    const again = await world.signIn(org, { id, email: author.email })

    expect(await world.verdict(puppet, await world.waitingRun(org, again, workspace))).toBe(refused)
  })
})

test('403: a run without changes, which nobody approves, clears no unknown author', async () => {
  const org = await harness.organization()
  const [author, deployer] = [await org.user('Deployer'), await org.user('Deployer')]
  const workspace = await org.workspace({ by: author, criticality: 'production' })
  const store = harness.deps.store
  await store.tenant(org.id, async (tenant) =>
    unwrap(tenant)
      .db('configuration_versions')
      .where({ workspaceId: workspace.id })
      .update({ unknownAuthor: true }),
  )
  const idle = await author.post(`${workspace.url}/apply`)
  await store.tenant(org.id, async (tenant) =>
    workspaceRuns(tenant).move(idle.json().run.id, ['queued', 'planning'], {
      phase: 'succeeded',
      reason: 'no_changes',
    }),
  )
  const files = { 'main.tf': 'resource "terraform_data" "later" {}\n' }
  expect((await author.put(`${workspace.url}/configuration`, { files })).statusCode).toBe(201)

  const run = await world.waitingRun(org, author, workspace)

  expect(await world.verdict(deployer, run)).toMatch(/^403 /)
  expect(await world.verdict(await org.user('SRE · Cloud Admin'), run)).toBe('approved')
})

test('a person who never signed in is not named as a possible approver', async () => {
  const org = await harness.organization()
  const [author, second] = [await org.user('Org Admin'), await org.user('Deployer')]
  const workspace = await org.workspace({ by: author, criticality: 'production' })
  const invited = await (
    await org.user('Owner')
  ).post('/api/org/users', {
    email: `never@${org.slug}.example`,
    name: 'Never Came',
    role: 'Deployer',
  })
  expect(invited.statusCode).toBe(201)
  await world.change(await org.user('Owner'), second, { name: 'Ada Lovelace' })
  const run = await world.waitingRun(org, author, workspace)
  const { whoCanAct } = (await world.seen(author, workspace, run)).blockedBy
  expect(whoCanAct).toContain(`Ada Lovelace (${second.email})`)
  expect(whoCanAct.join()).not.toContain('never@')
  const queued = await harness.deps.store.tenant(org.id, async (tenant) =>
    unwrap(tenant).db('mails').where({ kind: 'approval_waiting', userId: invited.json().user.id }),
  )
  expect(queued).toEqual([])
})

test('a person who never signed in is not named as somebody who can release a lock or end a turn', async () => {
  const org = await harness.organization()
  const owner = await org.user('Owner')
  const workspace = await org.workspace({ by: owner })
  const invite = { name: 'Never Came', role: 'SRE · Cloud Admin' }
  const email = `never@${org.slug}.example`
  expect((await owner.post('/api/org/users', { ...invite, email })).statusCode).toBe(201)
  const blocked = async () => {
    const { run } = (await owner.post(`${workspace.url}/apply`)).json()
    return (await owner.get(`${workspace.url}/runs/${run.id}`)).json().run.blockedBy
  }
  await blocked()
  const turn = await blocked()
  expect(turn.whoCanAct).toContain(owner.email)
  expect(turn.whoCanAct.join()).not.toContain('never@')
  expect((await owner.post(`${workspace.url}/lock`, { reason: 'later' })).statusCode).toBe(200)
  const lock = (await owner.get(`${workspace.url}/runs`)).json().runs[0].blockedBy
  expect(lock).toMatchObject({ kind: 'user_lock' })
  expect(lock.whoCanAct).toContain(owner.email)
  expect(lock.whoCanAct.join()).not.toContain('never@')
})
