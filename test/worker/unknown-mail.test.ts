import { afterAll, beforeAll, expect, test } from 'vitest'
import { startMailRelay } from '../../worker/mail-relay.ts'
import { createHarness, type Harness } from '../harness/create-harness.ts'

let harness: Harness
beforeAll(async () => {
  harness = await createHarness({ mail: 'unsent' })
})
afterAll(async () => harness.close())

test('a kind of mail that only a newer worker knows waits for it, and delays no other mail', async () => {
  const org = await harness.organization()
  const owner = await org.user('Owner')
  const email = `new@${org.slug}.example`
  await owner.post('/api/org/users', { email, name: 'New', role: 'Deployer' })
  const { platform } = harness.deps.store
  const rows = async () => platform('mails').where({ organizationId: org.id }).orderBy('id')
  await platform('mails').insert({
    organizationId: org.id,
    userId: owner.id,
    kind: 'of_a_newer_version',
    // Before the other mail.
    availableAt: platform.raw(`now() - interval '1 minute'`),
  })

  const relay = startMailRelay(harness.deps)
  await harness.mailTo(email)
  await expect.poll(async () => (await rows())[1]?.lastError).toBe('internal')
  await relay.stop()

  expect((await rows()).map(({ kind, outcome }) => [kind, outcome])).toEqual([
    ['invitation', 'sent'],
    ['of_a_newer_version', null],
  ])
})
