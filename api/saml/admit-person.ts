import type { Tenant } from '../../store/driver/tenant.ts'
import type { Powers } from '../../domain/access/roles.ts'
import { normalDomain } from '../../domain/saml/check-domain.ts'
import type { MappedPerson } from '../../domain/saml/map-person.ts'
import { mayVouchFor } from '../../domain/saml/power-of-editor.ts'
import { rank } from '../../domain/access/roles.ts'
import { SamlRefusal } from '../../domain/saml/saml-refusal.ts'
import { auditLog } from '../../store/audit/audit-log.ts'
import { endAccess } from '../../app/users/end-access.ts'
import { voidUnableApprovals } from '../../app/runs/void-unable-approvals.ts'
import { domainClaims } from '../../store/saml/domain-claims.ts'
import { samlPeople, type Seen, type SamlStanding } from '../../store/saml/saml-people.ts'
import type { AnsweredConfiguration } from '../../store/saml/saml-requests.ts'
import { holdPeople } from '../../store/users/hold-people.ts'
import { personMakers } from '../../store/users/person-makers.ts'
import { users } from '../../store/users/users.ts'
import { actorOfVisitor, type Visitor } from '../sign-in/visitor.ts'

export type Admission = {
  configuration: Pick<AnsweredConfiguration, 'defaultRole' | 'power' | 'savedBy'>
  person: MappedPerson
  visitor: Visitor
}

/**
 * Whom the assertion would sign in, and with which role. Changes nothing. Throws if the person may
 * not come in. A person of another organization with the same address is a stranger here
 * (docs/identity.md).
 */
export async function planAdmission(
  tenant: Tenant,
  { configuration, person }: Pick<Admission, 'configuration' | 'person'>,
): Promise<Seen> {
  const people = samlPeople(tenant)
  const { defaultRole, power } = configuration
  const seen = await people.look({ ...person, defaultRole })
  if (seen.found?.active === false) throw new SamlRefusal('user_deactivated')
  assertVouchedFor(power, seen)
  if (seen.found) return seen
  // A deprovisioned person stays out, whatever the identity provider says.
  if (await people.wasTakenOut(person.identifier)) throw new SamlRefusal('user_deprovisioned')
  await assertMayCome(tenant, person)
  return seen
}

/** The assertion is about a person above the editor of the configuration, so it is refused. */
export class AboveEditor extends SamlRefusal {
  readonly about: Record<string, unknown>
  constructor(power: Powers, person: Powers) {
    super('person_above_editor')
    const { role, platformAdmin } = person
    this.about = {
      personRole: platformAdmin ? 'platform administrator' : role,
      editorRole: power.role,
      whatToDo: `${platformAdmin ? 'A platform administrator' : `Somebody whose role is ${role === 'Owner' ? role : `${role} or above`}`} must save the configuration of the identity provider again, signed in with a password.`,
    }
  }
}

/**
 * The editor of the configuration decides whom the provider may name. Without this check an Org
 * Admin could sign in as the Owner through a provider of their own. The role that the groups would
 * grant counts too; otherwise the first sign-in would pass and the second would not.
 */
function assertVouchedFor(power: Powers, { found, standing }: Seen): void {
  const { roleNow = 'Viewer', platformAdmin = false } = found ?? {}
  for (const role of [roleNow, standing.wanted ?? 'Viewer'])
    if (!mayVouchFor(power, { role, platformAdmin }))
      throw new AboveEditor(power, { role, platformAdmin })
}

async function assertMayCome(tenant: Tenant, person: MappedPerson): Promise<void> {
  if (!person.isEmail) throw new SamlRefusal('email_missing')
  const claims = await domainClaims(tenant).list()
  const domain = normalDomain(person.identifier.slice(person.identifier.lastIndexOf('@')))
  if (claims.length > 0 && !claims.some((claim) => claim.domain === domain))
    throw new SamlRefusal('email_domain_not_allowed')
  // A name must not sign in a person with another address, nor one of two people with the same name.
  if (await samlPeople(tenant).isUserNameOfAnother(person.identifier))
    throw new SamlRefusal('email_is_the_user_name_of_another')
}

/**
 * Admits the person: creates a new one, and applies the role that the groups grant now, up or down.
 * Returns the person's id; openSamlSession locks the row.
 */
export async function admitPerson(tenant: Tenant, admission: Admission): Promise<number> {
  const { organizationId } = tenant

  const { person } = admission
  const { found, standing: before } = await planAdmission(tenant, admission)
  if (!found || before.role !== before.wanted || differs(before.groups, person.groups)) {
    // Serialized with other changes of what people may do, so everything is read again.
    await holdPeople(tenant)
    const again = await planAdmission(tenant, admission)
    const id = again.found?.id ?? (await createPerson(tenant, admission))
    await giveRole(tenant, { organizationId, userId: id, now: again.standing }, admission)
    return id
  }
  return found.id
}

async function createPerson(
  tenant: Tenant,
  { configuration, person, visitor }: Admission,
): Promise<number> {
  const email = person.identifier
  const name = person.name ?? email
  const id = await samlPeople(tenant).create({ email, name })
  await personMakers(tenant).note(id, configuration.savedBy, 'invited')
  await auditLog(tenant, actorOfVisitor(visitor)).record('saml.user_created', {
    target: { kind: 'user', id, label: email },
  })
  return id
}

async function giveRole(
  tenant: Tenant,
  { userId, now }: { organizationId: number; userId: number; now: SamlStanding },
  { configuration, person, visitor }: Admission,
): Promise<void> {
  const people = samlPeople(tenant)
  if (person.groups && differs(now.groups, person.groups))
    await people.setGroups(userId, person.groups)
  if (now.role === now.wanted) return
  const { role: before } = await users(tenant).get(userId)
  await people.setRole(userId, now.wanted)
  const { role: after } = await users(tenant).get(userId)
  if (rank(after) < rank(before)) await endAccess(tenant).invitationsBy(userId)
  // Granted by what the editors configured: the default role, and the groups that assertions may name.
  if (rank(after) > rank(before)) {
    await personMakers(tenant).note(userId, configuration.savedBy, 'promoted')
    await people.noteMappers(userId)
    await endAccess(tenant).shownInvitations(userId)
  }
  const actor = actorOfVisitor(visitor)
  await voidUnableApprovals(tenant, actor)
  await auditLog(tenant, actor).record('saml.role_changed', {
    target: { kind: 'user', id: userId, label: person.identifier },
    detail: { role: { from: now.role, to: now.wanted } },
  })
}

function differs(known: readonly string[], said: readonly string[] | undefined): boolean {
  if (!said) return false
  const names = new Set(said.map((name) => name.toLowerCase()))
  return names.size !== known.length || known.some((name) => !names.has(name))
}
