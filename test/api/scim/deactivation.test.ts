import { afterAll, beforeAll, expect, test } from 'vitest'
import { connectOwner } from '../../../store/driver/connect.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { approvedRun } from '../users/approve-as.ts'
import { scimClient } from './scim-client.ts'

let harness: Harness
beforeAll(async () => {
  harness = await createHarness()
})
afterAll(async () => harness.close())

/** Makes the last statement of every change fail, as a full disk would. */
async function withoutLog<T>(work: () => Promise<T>): Promise<T> {
  const owner = connectOwner(harness.config.databaseUrl)
  try {
    await owner.raw('alter table scim_log add constraint full_disk check (status >= 400) not valid')
    return await work()
  } finally {
    await owner.raw('alter table scim_log drop constraint full_disk')
    await owner.destroy()
  }
}

test('500: a deactivation whose last statement fails is rolled back', async () => {
  const org = await harness.organization()
  const idp = await scimClient(harness, org)
  const person = await org.user('Deployer')
  const run = await approvedRun(harness.deps, org, person)
  const token = await person.token('Viewer')
  const filter = encodeURIComponent(`userName eq "${person.email}"`)
  const [{ id }] = (await idp.get(`/Users?filter=${filter}`)).json().Resources
  const opens = async () => [
    (await person.get('/api/auth/me')).statusCode,
    (
      await harness.app.inject({
        url: '/api/auth/me',
        headers: { authorization: `Bearer ${token}` },
      })
    ).statusCode,
    (await idp.get(`/Users/${id}`)).json().active,
    (await run.now()).approved,
  ]
  const deactivate = { op: 'replace', path: 'active', value: false }
  expect(await opens()).toEqual([200, 200, true, true])
  const failed = await withoutLog(async () => [
    await idp.patch(`/Users/${id}`, deactivate),
    await idp.put(`/Users/${id}`, { userName: person.email, active: false }),
    await idp.delete(`/Users/${id}`),
  ])
  expect(failed.map(({ statusCode }) => statusCode)).toEqual([500, 500, 500])
  expect(await opens()).toEqual([200, 200, true, true])
  expect((await idp.patch(`/Users/${id}`, deactivate)).statusCode).toBe(200)
  expect(await opens()).toEqual([401, 401, false, false])
})

test('200 once: the last two Owners are deactivated at once, and one stays', async () => {
  for (let round = 0; round < 5; round += 1) {
    const org = await harness.organization()
    const idp = await scimClient(harness, org)
    await org.user('Owner')
    const filter = encodeURIComponent('roles.value eq "Owner" and active eq true')
    const owners: Array<{ id: string; userName: string }> = (
      await idp.get(`/Users?filter=${filter}`)
    ).json().Resources
    expect(owners).toHaveLength(2)
    const answers = await Promise.all(
      owners.map(async ({ id, userName }, at) =>
        at === 0
          ? idp.patch(`/Users/${id}`, { op: 'replace', path: 'active', value: false })
          : round % 2 === 0
            ? idp.delete(`/Users/${id}`)
            : idp.put(`/Users/${id}`, { userName, active: false }),
      ),
    )
    expect(answers.filter(({ statusCode }) => statusCode < 300)).toHaveLength(1)
    expect(answers.filter(({ statusCode }) => statusCode === 409)).toHaveLength(1)
    expect((await idp.get(`/Users?filter=${filter}`)).json().totalResults).toBe(1)
  }
})
