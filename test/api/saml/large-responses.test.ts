import { afterAll, beforeAll, expect, test } from 'vitest'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import {
  createSamlOrganization,
  postResponse,
  type SamlOrganization,
} from '../../harness/saml-organization.ts'

let harness: Harness
beforeAll(async () => {
  harness = await createHarness()
})
afterAll(async () => harness.close())

const groups = Array.from({ length: 3_000 }, (_, n) => `group number ${n} of a large company`)

/** A response with many groups, which waits for its turn in the thread. */
async function large(saml: SamlOrganization): Promise<() => Promise<number>> {
  const begun = await saml.begin()
  const email = `someone@${saml.domain}`
  const xml = saml.idp.response(begun, { nameId: email, attributes: { email: [email], groups } })
  return async () => (await postResponse(harness, begun, xml)).statusCode
}

test('large responses of one organization leave the thread to those of others', async () => {
  const hostile = await createSamlOrganization(harness)
  const quiet = await createSamlOrganization(harness)
  const many: Array<() => Promise<number>> = []
  // One by one: to sign one holds up this process, and with it what the others ask of PostgreSQL.
  for (let n = 0; n < 40; n += 1) many.push(await large(hostile))
  const one = await large(quiet)

  const sent = many.map(async (send) => send())
  const answer = one()
  expect(await answer).toBe(303)
  const statuses = await Promise.all(sent)
  // As many as it may have under way, and the rest may try again.
  expect(statuses.filter((status) => status === 303).length).toBeGreaterThanOrEqual(4)
  expect(statuses.filter((status) => status === 503).length).toBeGreaterThan(0)
  expect(new Set(statuses)).toEqual(new Set([303, 503]))
  expect(await (await large(hostile))()).toBe(303)
})
