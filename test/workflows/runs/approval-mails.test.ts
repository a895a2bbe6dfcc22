import { unwrap } from '../../../store/driver/tenant.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { runUntil, startRun } from '../../harness/runs.ts'
import { mailApprovers } from '../../../app/runs/mail-approvers.ts'
import { startMailRelay } from '../../../worker/mail-relay.ts'
import { startMailServer, textOf, type MailServer } from '../../worker/mail-server.ts'

let harness: Harness
let server: MailServer
beforeAll(async () => {
  server = await startMailServer()
  harness = await createHarness({ worker: true, mail: 'real', env: { SMTP_URL: server.url } })
})
afterAll(async () => {
  await harness.close()
  await server.close()
})

test('a waiting run: one plain-text mail to each person who may approve it, and to no one else', async () => {
  const org = await harness.organization()
  const [author, approver, owner, viewer, left, noAddress, administrator] = [
    await org.user('Deployer'),
    await org.user('Deployer'),
    await org.user('Owner'),
    await org.user('Viewer'),
    await org.user('Deployer'),
    await org.user('Deployer'),
    await org.user('Viewer', { platformAdmin: true }),
  ]
  const stranger = await (await harness.organization()).user('Owner')
  await owner.patch(`/api/org/users/${left.id}`, { active: false })
  await harness.deps.store.tenant(org.id, async (tenant) => {
    const { db } = unwrap(tenant)

    await db('users').where({ id: noAddress.id }).update({ email: null })
    await db('users').where({ id: author.id }).update({ name: 'Ada\r\nBcc: x@y.example' })
  })
  const workspace = await org.workspace({ by: author, criticality: 'production' })
  await author.post(`${workspace.url}/variables`, {
    key: 'word',
    value: 'a-value-of-the-plan',
    kind: 'terraform',
  })
  const second = startMailRelay(harness.deps)
  const { id } = await startRun(author, workspace)
  await runUntil(author, { workspace, id }, ({ awaitingApproval }) => awaitingApproval)

  const mail = await server.waitFor(approver.email)
  await server.waitFor(owner.email)
  await server.waitFor(administrator.email)
  const text = textOf(mail).replaceAll(/\s+/g, ' ')
  expect(text).toContain(
    `in the workspace ${workspace.name} (${org.slug}), started by Ada Bcc: x@y.example,`,
  )
  expect(text).toContain('Plan: 1 to add, 0 to change, 0 to destroy.')
  expect(text).toContain('The monthly cost stays at 0.00 USD.')
  expect(text).toContain(`${harness.config.baseUrl}/workspaces/${workspace.id}/runs/${id}`)
  expect(text).toMatch(
    /The run waits until \S+Z\. Without an approval by then, it fails and changes nothing\./,
  )
  expect(mail.raw).not.toContain('a-value-of-the-plan')
  expect(mail.raw.split('\r\n\r\n')[0]).not.toMatch(/^bcc:/im)

  // With two relays, and after the run has come to wait again, each person still gets one mail.
  const run = await harness.deps.store.platform('workspace_runs').where({ id }).first()
  await harness.deps.store.tenant(org.id, async (tenant) => mailApprovers(tenant, run))
  await second.stop()
  const told = server.received.flatMap(({ to }) => to).toSorted()
  expect(told).toEqual([approver, owner, administrator].map(({ email }) => email).toSorted())
  for (const { email } of [author, viewer, left, stranger]) expect(told).not.toContain(email)
  const rows = await harness.deps.store.platform('mails').where({ workspaceRunId: id })
  expect(rows.map(({ outcome }) => outcome)).toEqual(['sent', 'sent', 'sent'])
})

test('a delayed mail about a run that no longer waits is not sent', async () => {
  const org = await harness.organization()
  const [author, approver] = [await org.user('Deployer'), await org.user('Deployer')]
  const workspace = await org.workspace({ by: author, criticality: 'production' })
  const { platform } = harness.deps.store
  const { id } = await startRun(author, workspace)
  await runUntil(author, { workspace, id }, ({ awaitingApproval }) => awaitingApproval)
  await server.waitFor(approver.email)
  const canceled = await author.post(`${workspace.url}/runs/${id}/cancel`, {})
  expect(canceled.statusCode, canceled.body).toBeLessThan(300)
  await runUntil(author, { workspace, id }, ({ state }) => state === 'canceled')
  const before = server.received.length
  await platform('mails')
    .where({ workspaceRunId: id })
    .update({ endedAt: null, outcome: null, availableAt: platform.fn.now() })
  await platform.raw(`select pg_notify('cc_mail', '')`)
  const deadline = Date.now() + 10_000
  let outcomes: unknown[] = [null]
  while (outcomes.includes(null) && Date.now() < deadline) {
    await new Promise((resolve) => setTimeout(resolve, 50))
    outcomes = (await platform('mails').where({ workspaceRunId: id })).map(({ outcome }) => outcome)
  }
  expect(outcomes).toEqual(['moot'])
  expect(server.received).toHaveLength(before)
})
