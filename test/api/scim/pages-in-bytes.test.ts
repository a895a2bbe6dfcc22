import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { scimClient, type ScimClient } from './scim-client.ts'

const maxBytes = 1_048_576

let harness: Harness
beforeAll(async () => {
  harness = await createHarness()
})
afterAll(async () => harness.close())

type Resource = { id: string; members?: unknown[]; emails?: unknown[]; groups?: unknown[] }

const start = async () => {
  const org = await harness.organization()
  const idp = await scimClient(harness, org)
  const { platform } = harness.deps.store
  const addPeople = async (count: number) =>
    platform.raw(
      `insert into users (organization_id, user_name, external_id, email, name)
       select ?, 'p' || n || '@acme.test', 'e' || n, 'p' || n || '@acme.test', 'Person ' || n
       from generate_series(1, ?) as n`,
      [org.id, count],
    )
  const addGroups = async (count: number, members: number, name = 'Group') =>
    platform.raw(
      `with made as (insert into groups (organization_id, display_name)
         select :id, :name || ' ' || n from generate_series(1, :count::integer) as n returning id)
       insert into group_members (organization_id, group_id, user_id)
         select :id, made.id, u.id from made cross join
           (select id from users where organization_id = :id and external_id is not null limit :members) as u`,
      { id: org.id, count, members, name },
    )
  return { org, idp, platform, addPeople, addGroups }
}

/** Follows the pages of a list as RFC 7644 3.4.2.4 has it. */
async function walk(idp: ScimClient, path: string) {
  const resources: Resource[] = []
  const pages: number[] = []
  for (;;) {
    const answer = await idp.get(`${path}&startIndex=${resources.length + 1}&count=200`)
    expect(answer.statusCode, answer.body.slice(0, 300)).toBe(200)
    const { Resources, itemsPerPage, startIndex, totalResults } = answer.json()
    expect([Resources.length, startIndex]).toEqual([itemsPerPage, resources.length + 1])
    expect(itemsPerPage).toBeGreaterThan(0)
    if (itemsPerPage > 1) expect(answer.body.length).toBeLessThan(maxBytes)
    resources.push(...Resources)
    pages.push(itemsPerPage)
    if (resources.length >= totalResults) {
      expect(resources).toHaveLength(totalResults)
      return { ids: resources.map(({ id }) => id), resources, pages }
    }
  }
}

describe('a page of a SCIM list ends early', () => {
  test('200: groups with many members; all pages together have each once, with all members', async () => {
    const { idp, addPeople, addGroups } = await start()
    await addPeople(1_100)
    await addGroups(30, 1_000)
    const { ids, resources, pages } = await walk(idp, '/Groups?')
    expect(new Set(ids).size).toBe(30)
    expect(pages.length).toBeGreaterThan(3)
    for (const { members } of resources) expect(members).toHaveLength(1_000)

    // Members that are not shown are not counted; nor are those of a group that is too large for a list.
    for (const query of ['excludedAttributes=members', 'attributes=displayName'])
      expect((await walk(idp, `/Groups?${query}`)).pages).toEqual([30])
    const large = await start()
    await large.addPeople(1_100)
    await large.addGroups(30, 1_001)
    expect((await walk(large.idp, '/Groups?')).pages).toEqual([30])
  })

  test('200: people with many attributes, of whom one has more than a page may have', async () => {
    const { org, idp, platform, addPeople } = await start()
    await addPeople(60)
    const emails = (count: number) =>
      JSON.stringify({
        emails: Array.from({ length: count }, (_, n) => ({
          value: `${n}${'v'.repeat(900)}`,
          display: 'd'.repeat(900),
        })),
      })
    const give = async (profile: string, externalId: string) =>
      platform.raw(
        'update users set profile = ? where organization_id = ? and external_id like ?',
        [profile, org.id, externalId],
      )
    await give(emails(20), 'e%')
    await give(emails(900), 'e40')
    const { ids, resources, pages } = await walk(idp, '/Users?')
    expect(new Set(ids).size).toBe(ids.length)
    expect(resources.filter((one) => one.emails?.length === 20)).toHaveLength(59)
    expect(resources.filter((one) => one.emails?.length === 900)).toHaveLength(1)
    expect(pages).toContain(1)
    expect(pages.length).toBeGreaterThan(4)
  })

  test('200: people in many groups', async () => {
    const { idp, addPeople, addGroups } = await start()
    await addPeople(50)
    await addGroups(300, 50)
    const { resources, pages } = await walk(idp, '/Users?')
    expect(resources.filter((one) => one.groups?.length === 300)).toHaveLength(50)
    expect(pages.length).toBeGreaterThan(2)
    expect((await walk(idp, '/Users?excludedAttributes=groups')).pages).toHaveLength(1)
  })
})

describe('a page of at most 100 groups is whole', () => {
  type Group = Resource & { displayName: string }
  const groupsOf = async (idp: ScimClient, startIndex = 1) => {
    const answer = await idp.get(`/Groups?startIndex=${startIndex}&count=100`)
    expect(answer.statusCode, answer.body.slice(0, 300)).toBe(200)
    expect(answer.body.length).toBeLessThan(3 * maxBytes)
    const { Resources, itemsPerPage, totalResults } = answer.json()
    expect(Resources).toHaveLength(itemsPerPage)
    return { groups: Resources as Group[], totalResults }
  }
  const sizes = (groups: Group[]) => groups.map(({ members }) => members?.length)

  test('200: Okta’s probe of 107 groups with 100 members each', async () => {
    const { idp, addPeople, addGroups } = await start()
    await addPeople(100)
    await addGroups(107, 100)
    const first = await groupsOf(idp)
    expect(first.totalResults).toBe(107)
    expect(sizes(first.groups)).toEqual(Array(100).fill(100))
    const second = await groupsOf(idp, 101)
    expect(sizes(second.groups)).toEqual(Array(7).fill(100))
    const ids = [...first.groups, ...second.groups].map(({ id }) => id)
    expect(new Set(ids).size).toBe(107)
  })

  test('200: the largest groups come without members once the page has too many', async () => {
    const { org, idp, platform, addPeople, addGroups } = await start()
    await addPeople(1_001)
    await addGroups(25, 1_000)
    await addGroups(1, 1_001, 'Everybody')
    await addGroups(2, 10, 'Few')
    const { groups } = await groupsOf(idp)
    expect(groups).toHaveLength(28)
    const shown = sizes(groups)
    expect(shown.filter((size) => size === 1_000)).toHaveLength(9)
    expect(shown.filter((size) => size === undefined)).toHaveLength(17)
    expect(shown.slice(-3)).toEqual([undefined, 10, 10])
    // What is left out is read by its id.
    const left = groups[shown.indexOf(undefined)]
    expect((await idp.get(`/Groups/${left?.id}`)).json().members).toHaveLength(1_000)

    // Names of members are bounded by their bytes.
    await platform.raw('update group_members set display = ? where organization_id = ?', [
      'd'.repeat(900),
      org.id,
    ])
    const named = sizes((await groupsOf(idp)).groups).filter((size) => size !== undefined)
    expect(named).toEqual([1_000, 10, 10])
  })
})
