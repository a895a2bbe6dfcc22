import { asTenant } from './driver/tenant.ts'
import { randomBytes } from 'node:crypto'
import type { Config } from '../config.ts'
import { chainHeads } from '../gateways/keyring/chain-heads.ts'
import { databaseLogins } from '../gateways/keyring/database-logins.ts'
import { createKeyring } from '../gateways/keyring/keyring.ts'
import { hashPassword } from '../gateways/passwords/passwords.ts'
import { assertLogin } from './assert-login.ts'
import { connectOwner, connectStore } from './driver/connect.ts'
import { ensureLogins } from './ensure-logins.ts'
import { migrate } from './migrate.ts'
import { organizations } from './platform/organizations.ts'
import { users } from './users/users.ts'

export type FirstSignIn = { organization: string; email: string; password?: string }

/**
 * Migrates, creates the logins of API and worker, and in an empty store creates the first
 * organization and its Owner, who is also platform administrator. Two starts at once are safe:
 * the migration holds an advisory lock, and the slug is unique.
 */
export async function prepareStore(config: Config): Promise<{ firstSignIn?: FirstSignIn }> {
  const { databaseUrl, bootstrap, keyring } = config
  const logins = databaseLogins(config)
  const owner = connectOwner(databaseUrl)
  try {
    await migrate(owner, chainHeads(createKeyring(keyring)).seal)
    await ensureLogins(owner, logins)
  } finally {
    await owner.destroy()
  }
  await assertLogin('cc_app', logins.cc_app)
  await assertLogin('cc_platform', logins.cc_platform)
  const store = connectStore(logins, 2)
  try {
    const all = organizations(store.platform)
    if (await all.any()) return {}
    const { organization: slug, email } = bootstrap
    const password = bootstrap.password?.reveal() ?? randomBytes(15).toString('base64url')
    const passwordHash = await hashPassword(password)
    // In one transaction: a start that dies between the two would leave a store that nobody can sign in to.
    await store.platform.transaction(async (trx) => {
      const organization = await organizations(trx).create(slug, slug)
      await users(asTenant(trx, organization.id)).create({
        email,
        name: 'Owner',
        role: 'Owner',
        platformAdmin: true,
        passwordHash,
      })
    })
    return {
      firstSignIn: {
        organization: slug,
        email,
        ...(bootstrap.password === undefined && { password }),
      },
    }
  } finally {
    await store.close()
  }
}
