import type { Role } from '../../domain/access/roles.ts'
import type { Db } from '../connect.ts'

export type SamlBinding = 'redirect' | 'post'

export type SamlConfiguration = {
  idpEntityId: string
  ssoUrl: string
  ssoBinding: SamlBinding
  sloUrl: string | null
  sloBinding: SamlBinding | null
  /** Where answers go, if that is not where requests go. */
  sloResponseUrl: string | null
  /** Null: the NameID is the address. */
  attrEmail: string | null
  attrName: string | null
  attrGroups: string | null
  defaultRole: Role
  enabled: boolean
  editedBy: number | null
  editorRole: Role
  /** Everybody who has saved it since its certificates were last replaced as a whole. */
  savedBy: number[]
  createdAt: Date
  updatedAt: Date
}

export type SamlSettings = Omit<
  SamlConfiguration,
  'enabled' | 'editedBy' | 'editorRole' | 'savedBy' | 'createdAt' | 'updatedAt'
>

export type Editor = { editedBy: number; editorRole: Role; savedBy: readonly number[] }

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
  'savedBy',
  'createdAt',
  'updatedAt',
]

/** The one identity provider of an organization (§2.2). */
export function samlConfigurations(db: Db, organizationId: number) {
  return {
    async find(): Promise<SamlConfiguration | undefined> {
      return db('saml_configurations').where({ organizationId }).first(columns)
    },

    /** A new configuration is disabled; a save never enables one. */
    async save(settings: SamlSettings, editor: Editor): Promise<void> {
      await db('saml_configurations')
        .insert({ organizationId, ...settings, ...editor })
        .onConflict('organizationId')
        .merge({ ...settings, ...editor, updatedAt: db.fn.now() })
    },

    async setEnabled(enabled: boolean): Promise<void> {
      await db('saml_configurations')
        .where({ organizationId })
        .update({ enabled, updatedAt: db.fn.now() })
    },

    /** Newest first. */
    async certificates(): Promise<IdpCertificate[]> {
      return db('saml_idp_certificates')
        .where({ organizationId })
        .orderBy('notAfter', 'desc')
        .orderBy('fingerprint')
        .select('fingerprint', 'pem', 'notBefore', 'notAfter')
    },

    /** None while it is disabled. */
    async enabledCertificates(): Promise<IdpCertificate[]> {
      return db('saml_idp_certificates as i')
        .join('saml_configurations as c', 'c.organizationId', 'i.organizationId')
        .where({ 'i.organizationId': organizationId, 'c.enabled': true })
        .orderBy('i.notAfter')
        .select('i.fingerprint', 'i.pem', 'i.notBefore', 'i.notAfter')
    },

    /** Those that stay keep whether they were warned of. */
    async replaceCertificates(certificates: readonly IdpCertificate[]): Promise<void> {
      await db('saml_idp_certificates')
        .where({ organizationId })
        .whereNotIn(
          'fingerprint',
          certificates.map(({ fingerprint }) => fingerprint),
        )
        .delete()
      await db('saml_idp_certificates')
        .insert(certificates.map((certificate) => ({ organizationId, ...certificate })))
        .onConflict(['organizationId', 'fingerprint'])
        .ignore()
    },
  }
}
