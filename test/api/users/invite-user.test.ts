import { unwrap } from '../../../store/driver/tenant.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { holdPeople } from '../../../store/users/hold-people.ts'
import { users } from '../../../store/users/users.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { createSecondApp, type SecondApp } from '../../harness/second-app.ts'

let harness: Harness
let second: SecondApp
beforeAll(async () => {
  harness = await createHarness()
  second = await createSecondApp(harness)
})
afterAll(async () => {
  await second.close()
  await harness.close()
})

test('403: a caller who is demoted during an invitation creates no user', async () => {
  const org = await harness.organization()
  const admin = await org.user('Org Admin')
  const person = { email: `late@${org.slug}.example`, name: 'Late', role: 'Org Admin' }
  const { store } = harness.deps
  const invited = await store.tenant(org.id, async (tenant) => {
    const { db } = unwrap(tenant)

    await holdPeople(tenant)
    const answer = second.call(admin, 'POST', { url: '/api/org/users', body: person })
    let isOver = false
    void answer.finally(() => (isOver = true))
    // The request passed the access check with the old role, and waits for this transaction to end.
    for (;;) {
      const { rows } = await db.raw(
        'select count(*)::integer as waiting from pg_locks where pg_backend_pid() = any(pg_blocking_pids(pid))',
      )
      if (isOver || rows[0].waiting > 0) break
    }
    await users(tenant).setManualRole(admin.id, 'Viewer')
    return { answer }
  })
  const { statusCode } = await invited.answer
  expect(statusCode).toBe(403)
  expect(await store.platform('users').where({ email: person.email })).toEqual([])
})
