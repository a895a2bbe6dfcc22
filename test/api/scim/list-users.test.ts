import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { enterpriseUrn, groupUrn, scimClient, userUrn } from './scim-client.ts'

let harness: Harness
beforeAll(async () => {
  harness = await createHarness()
})
afterAll(async () => harness.close())

const start = async () => {
  const org = await harness.organization()
  return { org, idp: await scimClient(harness, org) }
}

describe('GET /Users', () => {
  test('200: paging is exact while users are added, and past the end; counts are bounded', async () => {
    const { idp } = await start()
    for (let at = 0; at < 12; at += 1) await idp.user(`p${at}@acme.test`)
    const seen: string[] = []
    for (let startIndex = 1; ; startIndex += 5) {
      const page = (await idp.get(`/Users?startIndex=${startIndex}&count=5`)).json()
      expect(page.itemsPerPage).toBe(page.Resources.length)
      if (page.itemsPerPage === 0) break
      seen.push(...page.Resources.map(({ userName }: { userName: string }) => userName))
      if (startIndex === 6) await idp.user('late@acme.test')
    }
    expect(new Set(seen).size).toBe(seen.length)
    expect(seen).toHaveLength(14)
    const odd = async (query: string) => {
      const { totalResults, startIndex, itemsPerPage } = (await idp.get(`/Users?${query}`)).json()
      return [totalResults, startIndex, itemsPerPage]
    }
    expect(await odd('startIndex=0&count=2')).toEqual([14, 1, 2])
    expect(await odd('startIndex=-5&count=-1')).toEqual([14, 1, 0])
    expect(await odd('count=100000')).toEqual([14, 1, 14])
    expect(await odd('startIndex=999999999999')).toEqual([14, 2_147_483_647, 0])
    expect((await idp.get('/Users?count=x')).json().scimType).toBe('invalidValue')
    expect((await idp.get('/Users?aadOptscim062020&count=1')).statusCode).toBe(200)
  })

  test('200: attributes and excludedAttributes, by name, part and URN', async () => {
    const { idp } = await start()
    const { id } = await idp.user('cut@acme.test', {
      name: { givenName: 'C', familyName: 'T' },
      [enterpriseUrn]: { department: 'D', division: 'V' },
    })
    const got = async (query: string) => (await idp.get(`/Users/${id}?${query}`)).json()
    expect(
      await got(`attributes=USERNAME,name.givenName,${enterpriseUrn}:department,nosuch`),
    ).toEqual({
      schemas: [userUrn, enterpriseUrn],
      id,
      userName: 'cut@acme.test',
      name: { givenName: 'C' },
      [enterpriseUrn]: { department: 'D' },
    })
    const without = await got(`excludedAttributes=id,emails,name.formatted,${enterpriseUrn},meta`)
    expect(without).toMatchObject({ id, name: { givenName: 'C', familyName: 'T' } })
    for (const name of ['emails', 'meta', enterpriseUrn]) expect(without).not.toHaveProperty([name])
    const meta = await got('attributes=meta.location,meta.version')
    expect(meta).toEqual({
      schemas: [userUrn, enterpriseUrn],
      id,
      meta: { location: expect.stringMatching(`/Users/${id}$`), version: 'W/"1"' },
    })
    const made = await idp.call('POST', '/Users?attributes=userName', {
      userName: 'short@acme.test',
    })
    expect(Object.keys(made.json())).toEqual(['schemas', 'id', 'userName'])
  })

  test('200: filters by schemas and by each attribute of meta except location', async () => {
    const { idp } = await start()
    const plain = await idp.user('plain@acme.test')
    const more = await idp.user('more@acme.test', { [enterpriseUrn]: { department: 'D' } })
    await idp.patch(`/Users/${more.id}`, { op: 'replace', path: 'title', value: 'T' })
    const found = async (filter: string) => {
      const answer = await idp.get(
        `/Users?filter=${encodeURIComponent(`${filter} and userName co "acme.test"`)}`,
      )
      return answer.json().Resources?.map(({ id }: { id: string }) => id) ?? answer.json().scimType
    }
    const both = [plain.id, more.id]
    expect(await found(`schemas eq "${enterpriseUrn}"`)).toEqual([more.id])
    expect(await found(`SCHEMAS eq "${userUrn}"`)).toEqual(both)
    expect(await found(`not (schemas eq "${enterpriseUrn}")`)).toEqual([plain.id])
    expect(await found('schemas pr')).toEqual(both)
    expect(await found('meta.resourceType eq "User"')).toEqual(both)
    expect(await found('meta.resourceType eq "Group"')).toEqual([])
    expect(await found('meta.version eq "W/\\"2\\""')).toEqual([more.id])
    expect(await found('meta.location co "Users"')).toBe('invalidFilter')
    expect(await found('meta.location pr')).toBe('invalidFilter')
    expect(await found('meta pr')).toEqual(both)

    await idp.group('Filtered')
    const groups = async (filter: string) =>
      (await idp.get(`/Groups?filter=${encodeURIComponent(filter)}`)).json().totalResults
    expect(await groups(`schemas eq "${groupUrn}" and meta.resourceType eq "Group"`)).toBe(1)
    expect(await groups(`schemas eq "${userUrn}"`)).toBe(0)
  })
})
