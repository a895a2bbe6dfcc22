import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { scimClient, type ScimClient } from './scim-client.ts'

let harness: Harness
beforeAll(async () => {
  harness = await createHarness()
})
afterAll(async () => harness.close())

const start = async () => {
  const org = await harness.organization()
  const idp = await scimClient(harness, org)
  const tagOf = async (path: string) => String((await idp.get(path)).headers['etag'])
  const readUnless = async (path: string, tag: string) =>
    idp.call('GET', path, undefined, { headers: { 'if-none-match': tag } })
  return { org, idp, tagOf, readUnless }
}
const withoutMembers = '?excludedAttributes=members'
const add = (id: string) => ({ op: 'add', path: 'members', value: [{ value: id }] })
const patchIf = async (idp: ScimClient, path: string, tag: string) =>
  idp.call(
    'PATCH',
    path,
    { Operations: [{ op: 'replace', path: 'title', value: tag }] },
    { headers: { 'if-match': tag } },
  )

describe('If-None-Match (RFC 7644 3.14)', () => {
  test('304: the version that the client has, weak or not, in a list of several, or *', async () => {
    const { idp, tagOf, readUnless } = await start()
    const { id: ada } = await idp.user('ada@acme.test')
    const { id: group } = await idp.group('Engineers', [ada])
    for (const path of [`/Users/${ada}`, `/Groups/${group}${withoutMembers}`]) {
      const tag = await tagOf(path)
      for (const given of [tag, tag.replace('W/', ''), `"other", ${tag}`, '*']) {
        const answer = await readUnless(path, given)
        expect([answer.statusCode, answer.body, answer.headers['etag']], given).toEqual([
          304,
          '',
          tag,
        ])
        expect(answer.headers).not.toHaveProperty('content-type')
      }
      for (const given of ['W/"other"', '""', 'x'])
        expect((await readUnless(path, given)).statusCode, given).toBe(200)
    }
  })

  test('304: a group with too many members to be read at once; 404: one that does not exist', async () => {
    const { org, idp, tagOf, readUnless } = await start()
    const { id } = await idp.group('everybody')
    await harness.deps.store.platform.raw(
      `with people as (insert into users (organization_id, user_name, name)
         select :id, 'p' || n, 'Person ' || n from generate_series(1, 1001) as n returning id)
       insert into group_members (organization_id, group_id, user_id)
         select :id, g.id, people.id from people, groups g where g.organization_id = :id`,
      { id: org.id },
    )
    const path = `/Groups/${id}${withoutMembers}`
    const answer = await readUnless(path, await tagOf(path))
    expect([answer.statusCode, answer.body]).toEqual([304, ''])
    const missing = await readUnless('/Groups/00000000-0000-4000-8000-000000000000', '*')
    expect(missing.statusCode).toBe(404)
  })

  test('200: a group with its members, whose names change without its version', async () => {
    const { idp, tagOf, readUnless } = await start()
    const { id: ada } = await idp.user('ada@acme.test', { displayName: 'Ada' })
    const { id } = await idp.group('Engineers', [ada])
    const path = `/Groups/${id}`
    const tag = await tagOf(path)
    expect((await idp.get(path)).json().members).toMatchObject([{ display: 'Ada' }])
    await idp.patch(`/Users/${ada}`, { op: 'replace', path: 'displayName', value: 'Ada Lovelace' })
    for (const query of ['', '?attributes=members', '?attributes=members.display']) {
      const answer = await readUnless(`${path}${query}`, tag)
      expect(answer.statusCode, query).toBe(200)
      expect(answer.json().members, query).toMatchObject([{ display: 'Ada Lovelace' }])
    }
    for (const query of [withoutMembers, '?attributes=displayName'])
      expect((await readUnless(`${path}${query}`, tag)).statusCode, query).toBe(304)
  })
})

describe('the version changes with what is shown', () => {
  test('of groups, when a member is deprovisioned; others keep theirs', async () => {
    const { idp, tagOf, readUnless } = await start()
    const [ada, bob] = [await idp.user('ada@acme.test'), await idp.user('bob@acme.test')]
    const { id: with_ } = await idp.group('with', [ada.id, bob.id])
    const { id: without } = await idp.group('without', [bob.id])
    const [path, other] = [`/Groups/${with_}`, `/Groups/${without}`]
    const [tag, kept] = [await tagOf(path), await tagOf(other)]
    const modified = async () => (await idp.get(path)).json().meta.lastModified
    const before = await modified()
    expect((await idp.delete(`/Users/${ada.id}`)).statusCode).toBe(204)
    const after = await readUnless(path, tag)
    expect(after.statusCode).toBe(200)
    expect(after.json().members).toMatchObject([{ value: bob.id }])
    expect(Date.parse(await modified())).toBeGreaterThan(Date.parse(before))
    expect((await readUnless(`${other}${withoutMembers}`, kept)).statusCode).toBe(304)
  })

  test('of a person, with their groups, the names of these and their role', async () => {
    const { org, idp, tagOf, readUnless } = await start()
    const { id: ada } = await idp.user('ada@acme.test')
    const { id: bob } = await idp.user('bob@acme.test')
    const { id: group } = await idp.group('Engineers')
    const { id: same } = await idp.group('Same role')
    const admin = await org.user('Org Admin')
    const path = `/Users/${ada}`
    const [seen, others] = [new Set([await tagOf(path)]), await tagOf(`/Users/${bob}`)]
    const mapped = async (groupName: string, role: string) =>
      admin.post('/api/org/group-mappings', { groupName, role })
    const changes: Array<() => Promise<{ statusCode: number }>> = [
      async () => idp.patch(`/Groups/${group}`, add(ada)),
      async () => mapped('Engineers', 'Deployer'),
      async () =>
        idp.patch(`/Groups/${group}`, { op: 'replace', path: 'displayName', value: 'Crew' }),
      async () => idp.patch(`/Groups/${same}`, add(ada)),
      async () => mapped('Same role', 'Org Admin'),
      async () => idp.delete(`/Groups/${group}`),
    ]
    for (const [at, change] of changes.entries()) {
      const last = await tagOf(path)
      expect((await change()).statusCode, `change ${at}`).toBeLessThan(300)
      const read = await readUnless(path, last)
      expect(read.statusCode, `change ${at}`).toBe(200)
      const tag = String(read.headers['etag'])
      expect(read.json().meta.version).toBe(tag)
      expect(seen, `change ${at}`).not.toContain(tag)
      seen.add(tag)
      expect((await patchIf(idp, path, last)).statusCode, `change ${at}`).toBe(412)
    }
    expect(await tagOf(`/Users/${bob}`)).toBe(others)
  })

  test('one version everywhere: by id, in parts, in a list, as a filter, in answers to changes', async () => {
    const { idp, tagOf } = await start()
    const { id } = await idp.user('ada@acme.test')
    await idp.group('Engineers', [id])
    const path = `/Users/${id}`
    const tag = await tagOf(path)
    expect(tag).not.toBe('W/"1"')
    expect(await tagOf(`${path}?attributes=userName`)).toBe(tag)
    const filter = encodeURIComponent(`meta.version eq ${JSON.stringify(tag)}`)
    for (const query of ['', '&excludedAttributes=groups'])
      expect((await idp.get(`/Users?filter=${filter}${query}`)).json().Resources).toMatchObject([
        { id, meta: { version: tag } },
      ])
    const patched = await patchIf(idp, path, tag)
    expect(patched.statusCode, patched.body).toBe(200)
    expect(patched.headers['etag']).toBe(await tagOf(path))
    expect(patched.headers['etag']).not.toBe(tag)
    const gone = await idp.call('DELETE', path, undefined, { headers: { 'if-match': tag } })
    expect(gone.statusCode).toBe(412)
  })
})
