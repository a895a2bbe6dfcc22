import type { PlatformDb } from '../driver/connect.ts'
import { askPrepared } from '../driver/ask-prepared.ts'
import { certificatesOf, type SamlBinding } from '../saml/saml-configurations.ts'
import type { SamlRequest } from '../saml/saml-requests.ts'

export type SamlOrganization = {
  organizationId: number
  slug: string
  name: string
  status: 'active' | 'suspended'
}

export type FoundRequest = SamlRequest & SamlOrganization & { taken: boolean }

/** With the identity provider it was sent to; null if there is no configuration any more. */
export type AskedRequest = FoundRequest & { idpEntityId: string | null; certificates: string[] }

export type LogoutParty = SamlOrganization & {
  sloUrl: string | null
  sloBinding: SamlBinding | null
  sloResponseUrl: string | null
  certificates: string[]
}

const organization = `o.id as "organizationId", o.slug, o.name, o.status`

const request = `r.id, r.kind, r.relay_state as "relayState", r.target, r.browser_hash as "browserHash",
  r.user_id as "userId", r.name_id as "nameId", r.session_index as "sessionIndex",
  r.taken_at is not null as taken, ${organization}`

/** The look-ups of SAML before the organization is known: by domain, by request, by issuer. */
export function saml(db: PlatformDb) {
  return {
    /** The organization whose enabled identity provider handles this domain: a proved claim first, then the oldest. */
    async byDomain(domain: string, provedOnly: boolean): Promise<SamlOrganization | undefined> {
      const { rows } = await db.raw(
        `select ${organization} from domain_claims d
           join saml_configurations c on c.organization_id = d.organization_id and c.enabled
           join organizations o on o.id = d.organization_id
         where d.domain = ? and (d.proved_at is not null or not ?::boolean)
         order by d.proved_at nulls last, d.created_at, d.organization_id limit 1`,
        [domain, provedOnly],
      )
      return rows[0]
    },

    async bySlug(slug: string): Promise<SamlOrganization | undefined> {
      const { rows } = await db.raw(
        `select ${organization} from saml_configurations c
           join organizations o on o.id = c.organization_id
         where o.slug = ? and c.enabled`,
        [slug],
      )
      return rows[0]
    },

    async request(id: string): Promise<FoundRequest | undefined> {
      const { rows } = await db.raw(
        `select ${request} from saml_requests r join organizations o on o.id = r.organization_id
         where r.id = ? and r.expires_at > now()`,
        [id],
      )
      return rows[0]
    },

    /** Finds the request of a response. A response without one is refused before it is parsed. */
    async asked(id: string): Promise<AskedRequest | undefined> {
      const [row] = await askPrepared<AskedRequest>(db, {
        name: 'saml-asked',
        text: `select ${request}, c.idp_entity_id as "idpEntityId",
           ${certificatesOf('r.organization_id')} as certificates
         from saml_requests r join organizations o on o.id = r.organization_id
           left join saml_configurations c on c.organization_id = r.organization_id
         where r.id = $1 and r.expires_at > now()`,
        values: [id],
      })
      return row
    },

    /** The request of a logout, by the token that only the browser has. */
    async requestByState(relayState: string): Promise<FoundRequest | undefined> {
      const row = await db('saml_requests').where({ relayState, kind: 'logout' }).first('id')
      return row && this.request(row.id)
    },

    /** The certificate of an organization's key, for its metadata, enabled or not. */
    async spCertificate(slug: string): Promise<string | undefined> {
      const { rows } = await db.raw(
        `select k.certificate from organizations o
           join saml_sp_keys k on k.organization_id = o.id where o.slug = ?`,
        [slug],
      )
      return rows[0]?.certificate
    },

    /** All configurations with this issuer; the signature decides which of them are meant. */
    async byIssuer(idpEntityId: string): Promise<LogoutParty[]> {
      const { rows } = await db.raw(
        `select ${organization}, c.slo_url as "sloUrl", c.slo_binding as "sloBinding",
           c.slo_response_url as "sloResponseUrl",
           ${certificatesOf('c.organization_id')} as certificates
         from saml_configurations c join organizations o on o.id = c.organization_id
         where c.idp_entity_id = ? and c.enabled order by o.id`,
        [idpEntityId],
      )
      return rows
    },
  }
}
