import { expect, test } from 'vitest'
import { auditLog, systemActor } from '../../store/audit/audit-log.ts'
import { createHarness, type Harness } from './create-harness.ts'
import { watchSecrets } from './secret-watch.ts'

const password = 'a sentence that nobody may see'

/** Tries to log in with `password`, so the harness notes the password. */
async function used(): Promise<Harness> {
  const harness = await createHarness()
  await harness.app.inject({
    method: 'POST',
    url: '/api/auth/login',
    payload: { email: 'a@b.example', password },
  })
  return harness
}

test('closing a harness fails when a secret is in the log', async () => {
  const harness = await used()
  harness.deps.log.info({ attempt: { password } }, 'sign-in')
  await expect(harness.close()).rejects.toThrow(/password in the log/)
})

test('closing a harness fails when a secret is in an audit entry, and the message leaves it out', async () => {
  const harness = await used()
  const org = await harness.organization()
  const user = await org.user('Owner')
  await user.get('/api/auth/me')
  await harness.deps.store.tenant(org.id, async (tenant) =>
    auditLog(tenant, systemActor).record('test.event', { detail: { seen: user.cookie } }),
  )
  const error = await harness.close().catch((thrown: unknown) => thrown)
  expect(String(error)).toMatch(/a session in the table audit_entries/)
  expect(String(error)).not.toContain(user.cookie)
})

test('a mailed link is allowed in the mail to its recipient and in no other mail', () => {
  const link = 'x'.repeat(43)
  const mail = (to: string) => ({ to, subject: 's', text: `Follow this:\n\n${link}\n` })
  const watch = watchSecrets()
  watch.noteMail(mail('a@b.example'))
  expect(() => watch.assertNoneWritten()).not.toThrow()
  watch.noteMail(mail('c@b.example'))
  expect(() => watch.assertNoneWritten()).toThrow(/a mailed link in a mail to c@b.example/)
})

test('an API token is found as text even if not noted, and as hex of a byte column if noted', () => {
  const token = `cc_pat_${'a'.repeat(49)}`
  const watch = watchSecrets()
  watch.wrote('here', `{"authorization":"Bearer ${token}"}`)
  expect(() => watch.assertNoneWritten()).toThrow(/a token in here/)
  const other = watchSecrets()
  other.note('a token', token)
  other.wrote('there', Buffer.from(token).toString('hex'))
  expect(() => other.assertNoneWritten()).toThrow(/a token in there/)
})
