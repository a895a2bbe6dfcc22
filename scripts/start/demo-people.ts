import type { Deps } from '../../api/deps.ts'
import type { Caller } from '../../domain/access/caller.ts'
import type { Role } from '../../domain/access/roles.ts'
import { users, type User } from '../../store/users/users.ts'

type Invitation = { email: string; name: string; role: Role }

/**
 * The first organization's Owner, and a Deployer who is the author of everything in the demo, so that
 * the Owner, the first person to sign in, may approve the demo's runs.
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

/** The caller that a session of this person would resolve to, with which the use cases check access. */
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
