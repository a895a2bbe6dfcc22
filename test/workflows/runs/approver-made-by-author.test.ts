import { unwrap } from '../../../store/driver/tenant.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { awaits, runUntil, startRun } from '../../harness/runs.ts'

let harness: Harness
beforeAll(async () => {
  harness = await createHarness({ worker: true })
})
afterAll(async () => harness.close())

/**
 * The attacker is the author: between approval and apply they gain control of the approver's
 * address or sign-in.
 */
test.each(['re-addressed', 'signed in by'] as const)(
  'an approver who was %s an author before the apply begins: the run waits again',
  async (how) => {
    const org = await harness.organization()
    const [author, second] = [await org.user('Org Admin'), await org.user('Deployer')]
    const workspace = await org.workspace({ by: author, criticality: 'production' })
    const saver = await org.user('Org Admin')
    if (how === 'signed in by')
      await harness.deps.store.tenant(org.id, async (tenant) =>
        unwrap(tenant)
          .db('sessions')
          .where({ userId: second.id })
          .update({ kind: 'saml', idpSavedBy: [saver.id] }),
      )
    const { id } = await startRun(author, workspace)
    await runUntil(author, { workspace, id }, awaits)
    // The lock keeps the apply from starting at once.
    await author.post(`${workspace.url}/lock`, { reason: 'looking' })
    const approve = `/api/pipelines/${workspace.pipelineId}/runs/${id}/approve`
    expect((await second.post(approve, {})).statusCode).toBe(200)

    if (how === 're-addressed')
      await author.patch(`/api/org/users/${second.id}`, { email: `x-${second.email}` })
    // Inserted without noteChange, which would send the run back to approval by itself.
    else
      await harness.deps.store.tenant(org.id, async (tenant) =>
        unwrap(tenant).db('workspace_authorship').insert({
          organizationId: org.id,
          workspaceId: workspace.id,
          userId: saver.id,
          what: 'variable x',
        }),
      )
    await author.post(`${workspace.url}/unlock`, {})
    const run = await runUntil(author, { workspace, id }, awaits)
    expect(run).toMatchObject({ awaitingApproval: true, state: 'running' })
    expect(run.approvals[0]?.void?.reason).toBe(
      how === 're-addressed' ? 'approver: made_by_author' : 'approver: signed_in_by_author',
    )
    const again = await second.post(approve, {})
    expect([again.statusCode, again.json().code]).toEqual([403, 'approver_made_by_author'])
  },
)
