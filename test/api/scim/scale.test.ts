import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { KeptQuery } from '../../../store/driver/kept-query.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { scimClient, type ScimClient } from './scim-client.ts'

const people = 100_000

let harness: Harness
let idp: ScimClient
let group: string
let someone: string
/** The statements of the last request, and the number of rows that each returned. */
let statements: Array<{ sql: string; rows: number }> = []

beforeAll(async () => {
  harness = await createHarness()
  const org = await harness.organization()
  idp = await scimClient(harness, org)
  group = (await idp.group('everybody')).id
  const { platform } = harness.deps.store
  await platform.raw(
    `insert into users (organization_id, user_name, external_id, email, name)
     select ?, 'p' || n || '@acme.test', 'e' || n, 'p' || n || '@acme.test', 'Person ' || n
     from generate_series(1, ?) as n`,
    [org.id, people],
  )
  await platform.raw(
    `insert into group_members (organization_id, group_id, user_id)
     select g.organization_id, g.id, u.id from groups g join users u on u.organization_id = g.organization_id
     where g.public_id = ? and u.external_id is not null`,
    [group],
  )
  await platform.raw(
    `insert into group_mappings (organization_id, group_name, role) values (?, 'everybody', 'Deployer')`,
    [org.id],
  )
  const { rows } = await platform.raw(
    `select public_id as id from users where organization_id = ? and external_id = 'e777'`,
    [org.id],
  )
  someone = rows[0].id
  const owner = (await import('../../../store/driver/connect.ts')).connectOwner(
    harness.config.databaseUrl,
  )
  await owner.raw('analyze users, group_members, groups, role_grants')
  await owner.destroy()
  watch()
})
afterAll(async () => {
  vi.restoreAllMocks()
  await harness.close()
})

/** Observes all statements, because each goes through the driver. */
function watch(): void {
  // oxlint-disable-next-line typescript/unbound-method -- it is called with the connection that it was called on
  const send: (...args: never[]) => unknown = Client.prototype.query
  vi.spyOn(Client.prototype, 'query').mockImplementation(function (
    this: unknown,
    ...args: unknown[]
  ) {
    const [statement] = args
    const sql =
      typeof statement === 'string' ? statement : String((statement as { text?: string }).text)
    const note = (result?: { rows?: unknown[] }) => {
      // Statements that do not belong to the request: mails that the harness sends, and shared
      // request counts.
      if (!/update mails|request_counts|set role/.test(sql))
        statements.push({ sql, rows: result?.rows?.length ?? 0 })
    }
    // The store's own query class calls its callback and keeps its rows itself.
    if (statement instanceof KeptQuery) {
      const kept = statement as KeptQuery<unknown> & { callback: (...told: unknown[]) => void }
      const { callback } = kept
      kept.callback = (...answer) => {
        note({ rows: kept.found })
        callback.apply(kept, answer)
      }
      return Reflect.apply(send, this, args)
    }
    const told = args.at(-1)
    if (typeof told !== 'function') {
      const asked = Reflect.apply(send, this, args) as Promise<{ rows?: unknown[] }>
      return asked.then((result) => {
        note(result)
        return result
      })
    }
    const answered = (error: unknown, result?: { rows?: unknown[] }) => {
      note(result)
      told(error, result)
    }
    return Reflect.apply(send, this, [...args.slice(0, -1), answered])
  })
}

async function measure(work: () => Promise<{ statusCode: number; body: string }>) {
  statements = []
  const answer = await work()
  expect(answer.statusCode, answer.body.slice(0, 300)).toBeLessThan(300)
  return {
    body: answer.body === '' ? undefined : JSON.parse(answer.body),
    statements: [...statements],
  }
}

const filtered = (place: string, filter: string) => `/${place}?filter=${encodeURIComponent(filter)}`
const change = (op: string) => ({ op, path: 'members', value: [{ value: someone }] })

describe(`no route reads more rows than it returns, at ${people} users`, () => {
  test.each<
    [string, () => Promise<{ statusCode: number; body: string }>, { rows: number; atMost: number }]
  >([
    ['GET /Users', async () => idp.get('/Users'), { rows: 100, atMost: 6 }],
    [
      'GET /Users, far in',
      async () => idp.get('/Users?startIndex=99001&count=50'),
      { rows: 50, atMost: 6 },
    ],
    ['GET /Users?count=0', async () => idp.get('/Users?count=0'), { rows: 1, atMost: 5 }],
    [
      'GET /Users by userName',
      async () => idp.get(filtered('Users', 'userName eq "P777@acme.test"')),
      { rows: 1, atMost: 5 },
    ],
    [
      'GET /Users by externalId',
      async () => idp.get(filtered('Users', 'externalId eq "e777"')),
      { rows: 1, atMost: 5 },
    ],
    [
      'GET /Users by e-mail',
      async () => idp.get(filtered('Users', 'emails[type eq "work"].value eq "p777@acme.test"')),
      { rows: 1, atMost: 5 },
    ],
    [
      'GET /Users by nothing',
      async () => idp.get(filtered('Users', 'title eq "x"')),
      { rows: 0, atMost: 5 },
    ],
    ['GET /Users/{id}', async () => idp.get(`/Users/${someone}`), { rows: 1, atMost: 5 }],
    [
      'POST /Users',
      async () => idp.post('/Users', { userName: 'new@acme.test' }),
      { rows: 1, atMost: 2 },
    ],
    [
      'PATCH /Users/{id}',
      async () => idp.patch(`/Users/${someone}`, { op: 'add', path: 'title', value: 'T' }),
      { rows: 1, atMost: 10 },
    ],
    [
      'PUT /Users/{id}',
      async () => idp.put(`/Users/${someone}`, { userName: 'p777@acme.test' }),
      { rows: 1, atMost: 10 },
    ],
    ['GET /Groups', async () => idp.get('/Groups'), { rows: 1, atMost: 5 }],
    [
      'GET /Groups without members',
      async () => idp.get('/Groups?excludedAttributes=members'),
      { rows: 1, atMost: 5 },
    ],
    [
      'GET /Groups by member',
      async () => idp.get(filtered('Groups', `members eq "${someone}"`)),
      { rows: 1, atMost: 5 },
    ],
    [
      'GET /Groups/{id} without members',
      async () => idp.get(`/Groups/${group}?excludedAttributes=members`),
      { rows: 1, atMost: 5 },
    ],
    [
      'PATCH /Groups/{id}: one out',
      async () => idp.patch(`/Groups/${group}`, change('remove')),
      { rows: 1, atMost: 16 },
    ],
    [
      'PATCH /Groups/{id}: one in',
      async () => idp.patch(`/Groups/${group}`, change('add')),
      { rows: 1, atMost: 16 },
    ],
    ['DELETE /Users/{id}', async () => idp.delete(`/Users/${someone}`), { rows: 1, atMost: 18 }],
  ])('%s', async (_, work, { rows, atMost }) => {
    const found = await measure(work)
    const most = Math.max(...found.statements.map((one) => one.rows))
    expect(most, JSON.stringify(found.statements)).toBeLessThanOrEqual(Math.max(rows, 1))
    // The credential and the statement itself; in a transaction begin, the organization and commit.
    expect(found.statements.length).toBeGreaterThanOrEqual(atMost < 5 ? atMost : 5)
    expect(found.statements.length, JSON.stringify(found.statements)).toBeLessThanOrEqual(atMost)
  })

  test('excluded members are not joined; a large group is returned without members unless requested', async () => {
    for (const path of [
      `/Groups/${group}?excludedAttributes=members`,
      '/Groups?excludedAttributes=members',
      `/Groups/${group}?attributes=displayName`,
    ]) {
      const { statements: sent } = await measure(async () => idp.get(path))
      expect(sent.filter(({ sql }) => sql.includes('group_members'))).toEqual([])
    }
    const { body } = await measure(async () =>
      idp.patch(`/Groups/${group}`, { op: 'add', path: 'externalId', value: 'g' }),
    )
    expect(body).not.toHaveProperty('members')
    const { body: listed } = await measure(async () => idp.get('/Groups?attributes=members'))
    expect(listed.Resources[0]).not.toHaveProperty('members')
  })

  test('a large group is read by its id with all of its members, a thousand of them by each statement', async () => {
    type Member = { value: string; $ref?: string; display?: string }
    const idsOf = (members: Member[]) => members.map(({ value }) => value)
    const { body: whole, statements: sent } = await measure(async () => idp.get(`/Groups/${group}`))
    const { id, displayName, members } = whole
    expect({ id, displayName }).toEqual({ id: group, displayName: 'everybody' })
    expect(new Set(idsOf(members)).size).toBe(people - 1)
    expect(members).toHaveLength(people - 1)
    const [first] = members
    expect(first.display).toMatch(/^Person \d+$/)
    expect(first.$ref).toMatch(new RegExp(`/Users/${first.value}$`))
    expect(sent.filter(({ sql }) => sql.includes('m.user_id >'))).toHaveLength(
      Math.ceil(people / 1_000) + 1,
    )

    const asked = `/Groups/${group}?attributes=members`
    const { body: ids } = await measure(async () => idp.get(`${asked}.value`))
    expect(Object.keys(ids).toSorted()).toEqual(['id', 'members', 'schemas'])
    expect(ids.members[0]).toEqual({ value: first.value })
    expect(idsOf(ids.members)).toEqual(idsOf(members))
    const { body: changed } = await measure(async () =>
      idp.patch(asked, { op: 'replace', path: 'externalId', value: 'h' }),
    )
    expect(idsOf(changed.members)).toEqual(idsOf(members))
  })

  test.each<[string, string, string]>([
    ['Users', 'userName eq "p777@acme.test"', 'users'],
    ['Users', 'externalId eq "e778"', 'users'],
    ['Users', 'emails.value eq "p779@acme.test"', 'users'],
  ])('%s?filter=%s looks at no other rows in the database', async (place, filter, table) => {
    const fetched = async () => {
      const { rows } = await harness.deps.store.platform.raw(
        `select pg_stat_force_next_flush(), seq_tup_read + idx_tup_fetch as read
         from pg_stat_user_tables where relname = ?`,
        [table],
      )
      return Number(rows[0].read)
    }
    const settled = async () => {
      let before = -1
      for (let now = await fetched(); now !== before; now = await fetched()) {
        before = now
        await new Promise((resolve) => setTimeout(resolve, 1_200))
      }
      return before
    }
    const readByFive = async () => {
      const before = await settled()
      for (let at = 0; at < 5; at += 1) await idp.get(filtered(place, filter))
      return (await settled()) - before
    }
    // An idle connection reports its earlier reads up to ten seconds late, and a second measurement
    // no longer contains them. A filter that reads all users would fail each time.
    let read = await readByFive()
    for (let again = 0; read >= 100 && again < 4; again += 1) read = await readByFive()
    expect(read).toBeLessThan(100)
  })
})
