import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hashPassword } from '../../../gateways/passwords/passwords.ts'
import { users } from '../../../store/users/users.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { logIn } from './people.ts'

let harness: Harness
beforeAll(async () => {
  harness = await createHarness()
})
afterAll(async () => harness.close())

const passwords = ['the first of four sentences', 'the second sentence', 'a third one of these']
const hashes = passwords.map(hashPassword)

/**
 * Creates one address in several organizations. A missing password makes it only an invitation
 * there.
 */
async function memberOf(places: ReadonlyArray<0 | 1 | 2 | undefined>) {
  const email = `u${randomBytes(6).toString('hex')}@several.example`
  const slugs: string[] = []
  for (const which of places) {
    const org = await harness.organization()
    const passwordHash = which === undefined ? undefined : await hashes[which]
    await harness.deps.store.tenant(org.id, async (tenant) =>
      users(tenant).create({
        email,
        name: 'Sev',
        role: 'Viewer',
        ...(passwordHash !== undefined && { passwordHash }),
      }),
    )
    slugs.push(org.slug)
  }
  const told = async (which: 0 | 1 | 2, org?: string) => {
    const answer = await logIn(harness.app, {
      email,
      password: passwords[which],
      ...(org !== undefined && { org }),
    })
    const { organization, code, details } = answer.json()
    return [answer.statusCode, organization?.slug ?? details?.[0]?.path ?? code]
  }
  return { slugs, told }
}

describe('one address in several organizations', () => {
  test('200: the password selects one of two organizations', async () => {
    const { slugs, told } = await memberOf([0, 1])
    expect(await told(0)).toEqual([200, slugs[0]])
    expect(await told(1)).toEqual([200, slugs[1]])
    expect(await told(2)).toEqual([401, 'invalid_credentials'])
  })

  test('200 and 401: the slug selects an organization, and does not allow guesses for another one', async () => {
    const { slugs, told } = await memberOf([0, 0])
    for (const slug of slugs) expect(await told(0, slug)).toEqual([200, slug])
    expect(await told(0, 'no-such-organization')).toEqual([401, 'invalid_credentials'])
    const other = await memberOf([0, 1])
    expect(await other.told(0, other.slugs[1])).toEqual([401, 'invalid_credentials'])
  })

  test('400: with three or more, the organization must be named; only a right password gets this error', async () => {
    const { slugs, told } = await memberOf([0, 1, 2])
    expect(await told(0)).toEqual([400, 'org'])
    for (const which of [0, 1, 2] as const)
      expect(await told(which, slugs[which])).toEqual([200, slugs[which]])
  })

  // Otherwise an attacker who administers two organizations could lock out users of a third.
  test('200: invitations to other organizations do not prevent sign-in', async () => {
    const { slugs, told } = await memberOf([undefined, undefined, 0, undefined])
    expect(await told(0)).toEqual([200, slugs[2]])
    expect(await told(1)).toEqual([401, 'invalid_credentials'])
  })

  test('429: who signs in to one of them gets no more guesses at the other one’s password', async () => {
    const { slugs, told } = await memberOf([0, 1])
    const [first, second] = slugs
    for (let n = 0; n < 4; n += 1)
      expect(await told(2, first)).toEqual([401, 'invalid_credentials'])
    expect(await told(1, second)).toEqual([200, second])
    expect(await told(2, first)).toEqual([401, 'invalid_credentials'])
    expect(await told(0, first)).toEqual([429, 'locked'])
  })

  test('200: in one organization with a password, a success sets the failures back', async () => {
    const { slugs, told } = await memberOf([0, undefined])
    for (let round = 0; round < 3; round += 1) {
      for (let n = 0; n < 4; n += 1) expect(await told(2)).toEqual([401, 'invalid_credentials'])
      expect(await told(0)).toEqual([200, slugs[0]])
    }
  })
})
