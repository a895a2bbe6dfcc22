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
  const addGroups = async (count: number, members: number) =>
    platform.raw(
      `with made as (insert into groups (organization_id, display_name)
         select :id, 'Group ' || n from generate_series(1, :count::integer) as n returning id)
       insert into group_members (organization_id, group_id, user_id)
         select :id, made.id, u.id from made cross join
           (select id from users where organization_id = :id and external_id is not null limit :members) as u`,
      { id: org.id, count, members },
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
