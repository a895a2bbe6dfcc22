import type { Caller } from '../../domain/access/caller.ts'

export const presentPerson = ({ userId, email, name, role }: Caller) => ({
  id: userId,
  email,
  name,
  role,
})

export const presentOrganization = (caller: Caller) => ({
  id: caller.organizationId,
  slug: caller.organizationSlug,
  name: caller.organizationName,
  status: caller.organizationStatus,
})

export const presentSignIn = (caller: Caller) => ({
  ok: true as const,
  user: presentPerson(caller),
  organization: presentOrganization(caller),
})
