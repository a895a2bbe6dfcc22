import { unwrap, type Tenant } from '../driver/tenant.ts'
export type SealedSpKey = { privateKey: Buffer; certificate: string }

export const placeOfSpKey = (organizationId: number) => ({
  organizationId,
  table: 'saml_sp_keys',
  column: 'private_key',
})

/** The organization's own signing key: generated once and never replaced. */
export function samlSpKeys(tenant: Tenant) {
  const { db, organizationId } = unwrap(tenant)

  return {
    async find(): Promise<SealedSpKey | undefined> {
      return db('saml_sp_keys').where({ organizationId }).first('privateKey', 'certificate')
    },

    async certificate(): Promise<string | undefined> {
      const row = await db('saml_sp_keys').where({ organizationId }).first('certificate')
      return row?.certificate
    },

    /** Of two concurrent first saves, one key is kept. */
    async keepFirst(key: SealedSpKey): Promise<void> {
      await db('saml_sp_keys')
        .insert({ organizationId, ...key })
        .onConflict('organizationId')
        .ignore()
    },
  }
}
