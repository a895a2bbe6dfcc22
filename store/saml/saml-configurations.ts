import { unwrap, type Tenant } from '../driver/tenant.ts'
import type { Powers, Role } from '../../domain/access/roles.ts'
import { powerOfEditor } from '../../domain/saml/power-of-editor.ts'

export type SamlBinding = 'redirect' | 'post'

export type SamlConfiguration = {
  idpEntityId: string
  ssoUrl: string
  ssoBinding: SamlBinding
  sloUrl: string | null
  sloBinding: SamlBinding | null
  /** Where logout responses go, if that differs from where requests go. */
  sloResponseUrl: string | null
  /** Null: the NameID is the address. */
  attrEmail: string | null
  attrName: string | null
  attrGroups: string | null
  defaultRole: Role
  enabled: boolean
  editedBy: number | null
  editorRole: Role
  editorPlatformAdmin: boolean
  /** Everybody who saved it since all its certificates were last replaced at once. */
  savedBy: number[]
  createdAt: Date
  updatedAt: Date
}

export type SamlSettings = Omit<
  SamlConfiguration,
  'enabled' | keyof Editor | 'savedBy' | 'createdAt' | 'updatedAt'
>

/** Who saved or enabled it last, and their powers then: the provider opens nothing above them. */
export type Editor = { editedBy: number; editorRole: Role; editorPlatformAdmin: boolean }

export type Savers = { savedBy: readonly number[] }

export type IdpCertificate = {
  fingerprint: string
  pem: string
  notBefore: Date
  notAfter: Date
}

const columns = [
  'idpEntityId',
  'ssoUrl',
  'ssoBinding',
  'sloUrl',
  'sloBinding',
  'sloResponseUrl',
  'attrEmail',
  'attrName',
  'attrGroups',
  'defaultRole',
  'enabled',
  'editedBy',
  'editorRole',
  'editorPlatformAdmin',
  'savedBy',
  'createdAt',
  'updatedAt',
]

/** The columns of `Editor` (domain/saml/power-of-editor.ts), of `saml_configurations c` left joined with `users e`. */
export const editorColumns = `c.editor_role as "savedRole",
  c.editor_platform_admin as "savedPlatformAdmin", e.platform_admin as "nowPlatformAdmin",
  e.active and e.deprovisioned_at is null as "nowActive",
  case when e.id is not null then coalesce((select max(g.role) from role_grants g
    where g.organization_id = e.organization_id and g.user_id = e.id), 'Viewer') end as "nowRole"`

/** SQL, an array: the certificates of an organization's identity provider, newest first. */
export const certificatesOf = (organizationId: string): string =>
  `array(select i.pem from saml_idp_certificates i
         where i.organization_id = ${organizationId} order by i.not_after desc, i.fingerprint)`

/** The one identity provider of an organization. */
export function samlConfigurations(tenant: Tenant) {
  const { db, organizationId } = unwrap(tenant)

  return {
    async find(): Promise<SamlConfiguration | undefined> {
      return db('saml_configurations').where({ organizationId }).first(columns)
    },

    /** A new configuration is disabled; a save never enables one. */
    async save(settings: SamlSettings, editor: Editor & Savers): Promise<void> {
      await db('saml_configurations')
        .insert({ organizationId, ...settings, ...editor })
        .onConflict('organizationId')
        .merge({ ...settings, ...editor, updatedAt: db.fn.now() })
    },

    /** With an editor when it is enabled: whoever enables a provider vouches for it. */
    async setEnabled(enabled: boolean, editor?: Editor): Promise<void> {
      await db('saml_configurations')
        .where({ organizationId })
        .update({ enabled, ...editor, updatedAt: db.fn.now() })
    },

    async powerOfEditor(): Promise<Powers | undefined> {
      const row = await db('saml_configurations as c')
        .leftJoin('users as e', (on) =>
          on.on('e.organizationId', 'c.organizationId').andOn('e.id', 'c.editedBy'),
        )
        .where({ 'c.organizationId': organizationId })
        .first(db.raw(editorColumns))
      return row && powerOfEditor(row)
    },

    /** Newest first. */
    async certificates(): Promise<IdpCertificate[]> {
      return db('saml_idp_certificates')
        .where({ organizationId })
        .orderBy('notAfter', 'desc')
        .orderBy('fingerprint')
        .select('fingerprint', 'pem', 'notBefore', 'notAfter')
    },

    /** Empty while it is disabled. */
    async enabledCertificates(): Promise<IdpCertificate[]> {
      return db('saml_idp_certificates as i')
        .join('saml_configurations as c', 'c.organizationId', 'i.organizationId')
        .where({ 'i.organizationId': organizationId, 'c.enabled': true })
        .orderBy('i.notAfter')
        .select('i.fingerprint', 'i.pem', 'i.notBefore', 'i.notAfter')
    },

    /** Replaces the certificates. One that stays keeps its mark of having been warned of. */
    async replaceCertificates(certificates: readonly IdpCertificate[]): Promise<void> {
      await db('saml_idp_certificates')
        .where({ organizationId })
        .whereNotIn(
          'fingerprint',
          certificates.map(({ fingerprint }) => fingerprint),
        )
        .delete()
      if (certificates.length === 0) return
      await db('saml_idp_certificates')
        .insert(certificates.map((certificate) => ({ organizationId, ...certificate })))
        .onConflict(['organizationId', 'fingerprint'])
        .ignore()
    },
  }
}
