import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { mailApprovers } from '../../../app/runs/mail-approvers.ts'
import type { ApprovalReason } from '../../../domain/runs/approval-reason.ts'
import { unwrap, type Tenant } from '../../../store/driver/tenant.ts'
import { workspaceRuns } from '../../../store/runs/workspace-runs.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import type { TestUser } from '../../harness/test-user.ts'
import { approvalWorld } from './approval-world.ts'

let harness: Harness
beforeAll(async () => {
  harness = await createHarness()
})
afterAll(async () => harness.close())

/** An author, a colleague and an Owner, and a run of the author that waits for these reasons. */
async function world(approvalReasons: ApprovalReason[] = ['confirm']) {
  const org = await harness.organization()
  const [author, colleague, owner] = [
    await org.user('Deployer'),
    await org.user('Deployer'),
    await org.user('Owner'),
  ]
  const workspace = await org.workspace({ by: author })
  const run = await approvalWorld(harness).waitingRun(org, author, workspace)
  const soon = new Date(Date.now() + 60_000)
  const inTenant = async <T>(work: (tenant: Tenant) => Promise<T>): Promise<T> =>
    harness.deps.store.tenant(org.id, work)
  await inTenant(async (tenant) => {
    await workspaceRuns(tenant).patch(run.id, { approvalReasons, approvalExpiresAt: soon })
  })
  return {
    org,
    author,
    colleague,
    owner,
    workspace,
    run,
    mail: async () => inTenant(async (tenant) => mailApprovers(tenant, run)),
    mailed: async (): Promise<number[]> =>
      inTenant(async (tenant) => {
        const rows = unwrap(tenant).db('mails').where({ workspaceRunId: run.id })
        return (await rows.orderBy('userId').select('userId')).map(({ userId }) => userId)
      }),
    signals: async (): Promise<number> =>
      inTenant(async (tenant) => {
        const rows = await unwrap(tenant).db('outbox').where({ kind: 'signal' })
        return rows.filter(({ workflowId }) => workflowId.endsWith(`/infra-run/${run.id}`)).length
      }),
    stored: async () => inTenant(async (tenant) => workspaceRuns(tenant).get(run.id)),
    audited: async (event: string) =>
      (await owner.get(`/api/audit?event=${event}&target=run:${run.id}`)).json().entries,
  }
}

describe('who is mailed of a confirmation', () => {
  test('its author alone; another who may act, where the author may not', async () => {
    const { author, colleague, owner, mail, mailed } = await world()
    await mail()
    expect(await mailed()).toEqual([author.id])
    await owner.patch(`/api/org/users/${author.id}`, { role: 'Viewer' })
    expect(await mailed()).toEqual([author.id, colleague.id, owner.id])
    await owner.patch(`/api/org/users/${author.id}`, { role: 'Deployer' })
    expect(await mailed()).toHaveLength(3)
  })

  test.each([{ role: 'Viewer' }, { active: false }])(
    'others, where the author was changed to %j before',
    async (change) => {
      const { author, colleague, owner, mail, mailed } = await world()
      await owner.patch(`/api/org/users/${author.id}`, change)
      await mail()
      expect(await mailed()).toEqual([colleague.id, owner.id])
    },
  )

  test('others, once the author was deactivated or deleted while it waits', async () => {
    for (const leave of ['deactivate', 'delete'] as const) {
      const { author, colleague, owner, mail, mailed } = await world()
      await mail()
      const at = `/api/org/users/${author.id}`
      const left = await (leave === 'delete'
        ? owner.delete(at)
        : owner.patch(at, { active: false }))
      expect(left.statusCode, left.body).toBe(200)
      expect(await mailed(), leave).toEqual(expect.arrayContaining([colleague.id, owner.id]))
    }
  })

  test('nobody else of a run that a budget holds: it asked a second person before', async () => {
    const { author, owner, mailed } = await world(['confirm', 'budget'])
    await owner.patch(`/api/org/users/${author.id}`, { role: 'Viewer' })
    expect(await mailed()).toEqual([])
  })
})

test('a workspace that becomes a production one asks a second person, for the full time', async () => {
  const { author, colleague, workspace, mail, mailed, signals, stored, audited } = await world()
  await mail()
  const before = await signals()
  const promoted = await colleague.patch(workspace.url, { criticality: 'production' })
  expect(promoted.statusCode, promoted.body).toBe(200)
  expect(await mailed()).toEqual(expect.arrayContaining([author.id, colleague.id]))
  expect(await signals()).toBe(before + 1)
  const { approvalExpiresAt, approvalReasons } = await stored()
  expect(approvalReasons).toEqual(['confirm', 'production'])
  expect(Number(approvalExpiresAt) - Date.now()).toBeGreaterThan(3_600_000)
  expect(await audited('pipeline.awaiting_approval')).toMatchObject([
    { detail: { reasons: ['confirm', 'production'], because: 'criticality' } },
  ])
  // A change of something else asks nobody again.
  await colleague.patch(workspace.url, { criticality: 'production' })
  expect(await audited('pipeline.awaiting_approval')).toHaveLength(1)
})

describe('the audit entry of a decision says which rule it answered', () => {
  test.each([
    [['confirm'], 'author', { rule: 'confirm', reasons: ['confirm'], ownRun: true }],
    [['confirm'], 'colleague', { rule: 'confirm', reasons: ['confirm'], ownRun: false }],
    [
      ['confirm', 'budget'],
      'colleague',
      { rule: 'second_operator', reasons: ['confirm', 'budget'], ownRun: false },
    ],
  ] as const)('%j by the %s', async (reasons, who, detail) => {
    const here = await world([...reasons])
    const person: TestUser = here[who]
    expect(await approvalWorld(harness).verdict(person, here.run)).toBe('approved')
    expect(await here.audited('pipeline.run_approved')).toMatchObject([{ detail }])
  })
})
