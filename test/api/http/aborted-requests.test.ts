import { randomUUID } from 'node:crypto'
import { request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { unwrap } from '../../../store/driver/tenant.ts'
import { holdPeople } from '../../../store/users/hold-people.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import type { TestOrganization } from '../../harness/test-organization.ts'
import { scimClient } from '../scim/scim-client.ts'

let harness: Harness
let org: TestOrganization
beforeAll(async () => {
  harness = await createHarness()
  org = await harness.organization()
})
afterAll(async () => harness.close())

const connections = async () =>
  new Promise((resolve) => harness.app.server.getConnections((_, count) => resolve(count)))

/** Sends a request that waits for a lock, and disconnects before the lock is released. */
async function abort(method: string, path: string, token: string): Promise<void> {
  await harness.deps.store.tenant(org.id, async (tenant) => {
    await holdPeople(tenant)
    const { db } = unwrap(tenant)
    // The server listens on a port, so `address` returns an object.
    const { port } = harness.app.server.address() as AddressInfo
    const headers = { authorization: `Bearer ${token}` }
    const sent = request({ host: '127.0.0.1', port, path, method, agent: false, headers })
    sent.on('error', () => undefined)
    sent.end()
    await expect
      .poll(async () => {
        const { rows } = await db.raw(
          'select count(*)::integer as waiting from pg_locks where pg_backend_pid() = any(pg_blocking_pids(pid))',
        )
        return rows[0].waiting
      })
      .toBeGreaterThan(0)
    sent.destroy()
    await expect.poll(connections).toBe(0)
  })
}

test('a refused request whose client has disconnected is logged, counted, and in the SCIM log', async () => {
  const idp = await scimClient(harness, org)
  const admin = await org.user('Org Admin')
  const path = `/api/scim/v2/Users/${randomUUID()}`

  await abort('DELETE', path, idp.token)

  const listed = async () => (await admin.get('/api/org/scim/log')).json().entries
  await expect.poll(async () => (await listed()).length).toBe(1)
  expect((await listed())[0]).toMatchObject({
    outcome: 'failure',
    status: 404,
    request: { method: 'DELETE', path },
  })

  const route = '/api/scim/v2/Users/:id'
  const lines = harness
    .logged()
    .split('\n')
    .filter((line) => line.includes(`"route":"${route}"`))
    .map((line) => JSON.parse(line))
  expect(lines).toEqual([
    expect.objectContaining({ msg: 'request', method: 'DELETE', status: 404, aborted: true }),
  ])
  expect(await harness.app.metrics.metrics()).toContain(
    `cc_http_request_duration_seconds_count{method="DELETE",route="${route}",status="aborted"} 1`,
  )
})

test('an answered request is logged and counted once, as answered', async () => {
  const viewer = await org.user('Viewer')
  expect((await viewer.get('/api/policies')).statusCode).toBe(200)
  const lines = harness
    .logged()
    .split('\n')
    .filter((line) => line.includes('"route":"/api/policies"'))
    .map((line) => JSON.parse(line))
  expect(lines).toEqual([expect.objectContaining({ msg: 'request', method: 'GET', status: 200 })])
  expect(lines[0]).not.toHaveProperty('aborted')
  expect(await harness.app.metrics.metrics()).toContain(
    `cc_http_request_duration_seconds_count{method="GET",route="/api/policies",status="200"} 1`,
  )
})
