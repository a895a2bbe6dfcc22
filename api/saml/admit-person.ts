import type { Role } from '../../domain/access/roles.ts'
import { normalDomain } from '../../domain/saml/check-domain.ts'
import type { MappedPerson } from '../../domain/saml/map-person.ts'
import { SamlRefusal } from '../../domain/saml/saml-refusal.ts'
import { auditLog } from '../../store/audit/audit-log.ts'
import type { Db } from '../../store/connect.ts'
import { voidUnableApprovals } from '../../store/pipelines/void-unable-approvals.ts'
import { domainClaims } from '../../store/saml/domain-claims.ts'
import type { SamlConfiguration } from '../../store/saml/saml-configurations.ts'
import { samlPeople, type FoundPerson, type SamlStanding } from '../../store/saml/saml-people.ts'
import { holdPeople } from '../../store/users/hold-people.ts'
import { holdPerson } from '../../store/users/hold-person.ts'
import { actorOfVisitor, type Visitor } from '../sign-in/visitor.ts'

export type Admission = {
  configuration: SamlConfiguration
  person: MappedPerson
  visitor: Visitor
}

export type Plan = { found: FoundPerson | undefined; role: Role | null; standing: SamlStanding }

/**
 * Whom the assertion would let in, and with which role: changes nothing. Throws where
 * nobody is let in. A person of another organization who has the same address is a
 * stranger here (identity.md 2.4).
 */
export async function planAdmission(
  db: Db,
  organizationId: number,
  { configuration, person }: Pick<Admission, 'configuration' | 'person'>,
): Promise<Plan> {
  const people = samlPeople(db, organizationId)
  const found = await people.find(person.identifier, person.isEmail)
  // Whoever was taken out stays out, whatever the identity provider still says.
  if (found?.deprovisioned) throw new SamlRefusal('user_deprovisioned')
  if (found && !found.active) throw new SamlRefusal('user_deactivated')
  if (!found) await assertMayCome(db, organizationId, person)
  const standing = await people.standing(found?.id, person.groups, configuration.defaultRole)
  return { found, role: standing.wanted, standing }
}

async function assertMayCome(db: Db, organizationId: number, person: MappedPerson): Promise<void> {
  if (!person.isEmail) throw new SamlRefusal('email_missing')
  const claims = await domainClaims(db, organizationId).list()
  const domain = normalDomain(person.identifier.slice(person.identifier.lastIndexOf('@')))
  if (claims.length > 0 && !claims.some((claim) => claim.domain === domain))
    throw new SamlRefusal('email_domain_not_allowed')
  // Whoever has an address of their own is not opened by another, and two of one name are none.
  if (await samlPeople(db, organizationId).hasUserName(person.identifier))
    throw new SamlRefusal('email_is_the_user_name_of_another')
}

/**
 * Lets the person in: makes them where they are new, and gives them what their groups give
 * now, up or down. Returns who they are.
 */
export async function admitPerson(
  db: Db,
  organizationId: number,
  admission: Admission,
): Promise<number> {
  const { person } = admission
  const { found, standing: before } = await planAdmission(db, organizationId, admission)
  if (!found || before.role !== before.wanted || differs(before.groups, person.groups)) {
    // Whoever changes what people may do takes their turn, and looks again.
    await holdPeople(db, organizationId)
    const again = await planAdmission(db, organizationId, admission)
    const id = again.found?.id ?? (await createPerson(db, organizationId, admission))
    await giveRole(db, { organizationId, userId: id }, admission)
    return id
  }
  if (!(await holdPerson(db, organizationId, found.id))) throw new SamlRefusal('user_deactivated')
  return found.id
}

async function createPerson(
  db: Db,
  organizationId: number,
  { person, visitor }: Admission,
): Promise<number> {
  const email = person.identifier
  const name = person.name ?? email
  const id = await samlPeople(db, organizationId).create({ email, name })
  await auditLog(db, organizationId, actorOfVisitor(visitor)).record('saml.user_created', {
    target: { kind: 'user', id, label: email },
  })
  return id
}

async function giveRole(
  db: Db,
  { organizationId, userId }: { organizationId: number; userId: number },
  { configuration, person, visitor }: Admission,
): Promise<void> {
  const people = samlPeople(db, organizationId)
  const now = await people.standing(userId, person.groups, configuration.defaultRole)
  if (person.groups && differs(now.groups, person.groups))
    await people.setGroups(userId, person.groups)
  if (now.role === now.wanted) return
  await people.setRole(userId, now.wanted)
  const actor = actorOfVisitor(visitor)
  await voidUnableApprovals(db, organizationId, actor)
  await auditLog(db, organizationId, actor).record('saml.role_changed', {
    target: { kind: 'user', id: userId, label: person.identifier },
    detail: { role: { from: now.role, to: now.wanted } },
  })
}

function differs(known: readonly string[], said: readonly string[] | undefined): boolean {
  if (!said) return false
  const names = new Set(said.map((name) => name.toLowerCase()))
  return names.size !== known.length || known.some((name) => !names.has(name))
}
