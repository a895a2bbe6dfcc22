import type { FastifyInstance } from 'fastify'
import { Secret, TOTP } from 'otpauth'
import type { Role } from '../../../domain/access/roles.ts'
import { hashPassword } from '../../../gateways/passwords/passwords.ts'
import { users } from '../../../store/users/users.ts'
import type { Harness } from '../../harness/create-harness.ts'
import type { TestOrganization } from '../../harness/test-organization.ts'
import type { TestUser } from '../../harness/test-user.ts'

export const password = 'correct horse battery staple'
const hash = hashPassword(password)

export type Person = { org: TestOrganization; user: TestUser; email: string }

/** A user with the password above. */
export async function person(
  harness: Harness,
  { role = 'Deployer', org }: { role?: Role; org?: TestOrganization } = {},
): Promise<Person> {
  const place = org ?? (await harness.organization())
  const user = await place.user(role)
  const passwordHash = await hash
  await harness.deps.store.tenant(place.id, async (tenant) =>
    users(tenant).setPassword(user.id, passwordHash),
  )
  return { org: place, user, email: user.email }
}

export const send = async (app: FastifyInstance, url: string, payload: object, headers = {}) =>
  app.inject({ method: 'POST', url, payload, headers })

export const logIn = async (app: FastifyInstance, payload: object, headers = {}) =>
  send(app, '/api/auth/login', payload, headers)

/** The TOTP code of this secret, `steps` of 30 s from now. */
export const codeOf = (secret: string, steps = 0): string =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({
    timestamp: Date.now() + steps * 30_000,
  })

/** A user with a second factor. Its activation consumed the code of the previous step. */
export async function personWithCode(
  harness: Harness,
  of: { role?: Role; org?: TestOrganization } = {},
) {
  const somebody = await person(harness, of)
  const { secret } = (await somebody.user.post('/api/auth/mfa/enroll')).json()
  const activated = await somebody.user.post('/api/auth/mfa/activate', { code: codeOf(secret, -1) })
  const { recoveryCodes } = activated.json()
  return { ...somebody, secret: String(secret), recoveryCodes: recoveryCodes as string[] }
}
