import type { Role } from '../../domain/access/roles.ts'
import { hashPassword } from '../../gateways/passwords/passwords.ts'
import { users } from '../../store/users/users.ts'
import type { Harness } from '../harness/create-harness.ts'
import type { TestOrganization } from '../harness/test-organization.ts'
import { createTestUser, type TestUser } from '../harness/test-user.ts'

export const password = 'a-good-long-passphrase-42'

/** Somebody with a name that one reads in the pictures, and with the password above where it is wanted. */
export async function named(
  harness: Harness,
  org: TestOrganization,
  about: { name: string; role: Role; platformAdmin?: boolean; withPassword?: boolean },
): Promise<TestUser> {
  const { name, role, platformAdmin = false, withPassword = false } = about
  const email = `${name.toLowerCase().replaceAll(' ', '.')}@${org.slug}.example`
  const person = await harness.deps.store.tenant(org.id, async (tenant) =>
    users(tenant).create({ email, name, role, platformAdmin }),
  )
  if (withPassword) {
    const hash = await hashPassword(password)
    await harness.deps.store.tenant(org.id, async (tenant) =>
      users(tenant).setPassword(person.id, hash),
    )
  }
  return createTestUser(harness.app, harness.deps, {
    id: person.id,
    organizationId: org.id,
    email,
  })
}
