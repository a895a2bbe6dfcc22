import { afterAll, beforeAll, expect, test } from 'vitest'
import type { TableRoute } from '../../../api/http/route-table.ts'
import { roles, type Role } from '../../../domain/access/roles.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import type { TestOrganization } from '../../harness/test-organization.ts'
import { createTestUser } from '../../harness/test-user.ts'
import { samlSessionOf } from '../../harness/saml-session.ts'
import { scimClient } from '../scim/scim-client.ts'
import { addressOf, bearerOf, callRoute, cookieOf } from './call-route.ts'

let harness: Harness
beforeAll(async () => {
  harness = await createHarness()
})
afterAll(async () => harness.close())

type Headers = Record<string, string>

const givePassword = async (id: number) =>
  harness.deps.store.platform('users').where({ id }).update({ passwordHash: 'x' })

/** Makes a new credential for each call, because one of the routes signs out. */
async function makeCallers(org: TestOrganization): Promise<Map<string, () => Promise<Headers>>> {
  const { app, deps, config } = harness
  const session = async (role: Role, platformAdmin = false) => {
    const { id, email } = await org.user(role, { platformAdmin })
    return async () => {
      const again = await createTestUser(app, deps, { id, organizationId: org.id, email })
      return cookieOf(again.cookie, config.baseUrl)
    }
  }
  const callers = new Map<string, () => Promise<Headers>>([['nobody', async () => ({})]])
  for (const role of roles) callers.set(role, await session(role))
  // An Owner who has a password too. Over SSO, the routes that change a credential refuse them.
  const owner = await org.user('Owner')
  await givePassword(owner.id)
  callers.set('Owner by SSO', async () =>
    cookieOf(await samlSessionOf(harness, org.id, owner.id), config.baseUrl),
  )
  callers.set('platform admin', await session('Viewer', true))
  const token = await (await org.user('Owner')).token('Owner')
  callers.set('Owner’s token', async () => bearerOf(token))
  const scim = await scimClient(harness, org)
  callers.set('SCIM token', async () => bearerOf(scim.token))
  return callers
}

/**
 * Sends unknown ids and an invalid body, so no call has an effect. A caller with access gets
 * another status than 401 and 403. Platform routes answer 404 to other callers, so they get the id
 * of an organization that exists.
 */
async function cell(route: TableRoute, headers: Headers, spare: TestOrganization): Promise<string> {
  const platform = route.access === 'platform'
  const address = addressOf(route, platform ? { id: String(spare.id) } : {})
  const body = route.hasBody ? { 'no such field': true } : undefined
  const { statusCode } = await callRoute(harness.app, route, { address, headers, body })
  expect(statusCode, `${route.method} ${address}`).toBeLessThan(500)
  const refused = [401, 403, ...(platform ? [404] : [])].includes(statusCode)
  return refused ? String(statusCode) : 'yes'
}

const widthOf = (text: string) => Array.from(text).length
const pad = (text: string, width: number) => text + ' '.repeat(width - widthOf(text))

test('every route × every caller matches test/api/access-matrix.txt (--update rewrites the file)', async () => {
  const callers = await makeCallers(await harness.organization())
  const spare = await harness.organization()
  const head = ['route', ...callers.keys()]
  const rows: string[][] = []
  // The console's routes exist only after a build of the console. They are public and not part of
  // the API.
  const routes = harness.app
    .routeTable()
    // One row is enough for unknown SCIM paths, which answer alike for each method.
    .filter(({ method, url }) => method === 'GET' || !url.endsWith('/scim/v2/*'))
    .filter(({ url }) => !/^\/($|\*|index\.html|assets\/|favicon|theme\.js)/.test(url))
  for (const route of routes) {
    const cells: string[] = []
    for (const sign of callers.values()) cells.push(await cell(route, await sign(), spare))
    rows.push([`${pad(route.method, 6)} ${route.url}`, ...cells])
  }
  const byAddress = ([a = '']: string[], [b = '']: string[]) =>
    `${a.slice(7)} ${a}` < `${b.slice(7)} ${b}` ? -1 : 1
  const table = [head, ...rows.toSorted(byAddress)]
  const widths = head.map((_, column) =>
    Math.max(...table.map((row) => widthOf(row[column] ?? ''))),
  )
  const lines = table.map((row) =>
    row
      .map((text, column) => pad(text, widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  )
  await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot('../access-matrix.txt')
})
