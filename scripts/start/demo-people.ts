import type { Deps } from '../../api/deps.ts'
import type { Caller } from '../../domain/access/caller.ts'
import type { Role } from '../../domain/access/roles.ts'
import { users, type User } from '../../store/users/users.ts'

type Invitation = { email: string; name: string; role: Role }

/**
 * The first organization's Owner, and a Deployer who is the author of all that the demo makes:
 * what waits for approval can so be approved by whoever has just signed in for the first time.
 */
export async function demoPeople(
  deps: Deps,
  invite: (owner: Caller, person: Invitation) => Promise<User>,
): Promise<{ owner: Caller; author: Caller } | undefined> {
  const { store, config } = deps
  const [organization] = await store
    .platform('organizations')
    .where({ slug: config.bootstrap.organization, status: 'active' })
    .select('id', 'slug', 'name')
  if (!organization) return undefined
  const find = async (filter: { q?: string; role?: Role }) =>
    store.tenant(organization.id, async (tenant) =>
      users(tenant).list({ limit: 50, after: 0, active: true, ...filter }),
    )
  const [person] = await find({ role: 'Owner' })
  if (!person) return undefined
  const owner = callerOf(organization, { user: person, role: 'Owner' })

  const domain = /@(.+)$/.exec(person.email ?? '')?.[1] ?? 'demo.example'
  const email = `dana@${domain}`
  const known = (await find({ q: email })).find((user) => user.email === email)
  const dana = known ?? (await invite(owner, { email, name: 'Dana', role: 'Deployer' }))
  return { owner, author: callerOf(organization, { user: dana, role: 'Deployer' }) }
}

type Organization = { id: number; slug: string; name: string }

/** Somebody as a session of theirs would be resolved, for the use cases to judge. */
const callerOf = (
  { id, slug, name }: Organization,
  { user, role }: { user: User; role: Role },
): Caller => ({
  organizationId: id,
  organizationSlug: slug,
  organizationName: name,
  organizationStatus: 'active',
  userId: user.id,
  email: user.email,
  name: user.name,
  role,
  platformAdmin: false,
  mfaEnabled: false,
  credentialsLocked: false,
  kind: 'session',
  credentialId: 0,
  expiresAt: null,
  ip: '127.0.0.1',
  requestId: 'demo',
})
