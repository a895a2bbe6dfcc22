import type { Keycloak } from './keycloak.ts'

const realm = 'acme'

export type KeycloakRealm = {
  descriptor(): Promise<string>
  /** Registers a service provider by its metadata, as Keycloak itself reads that. */
  trust(metadata: string): Promise<void>
  /** Without it Keycloak sends its logout requests by Redirect. */
  forgetPostLogout(): Promise<void>
  changeKey(): Promise<void>
  logoutUrl: string
}

type Client = { id?: string; attributes: Record<string, string> }

/** A realm with one person, ada, in two groups, which come as an Attribute element each. */
export async function keycloakRealm(keycloak: Keycloak): Promise<KeycloakRealm> {
  await keycloak.admin('POST', '/admin/realms', {
    realm,
    enabled: true,
    sslRequired: 'none',
    groups: [{ name: 'platform-sre' }, { name: 'all' }],
    users: [
      {
        username: 'ada',
        email: 'ada@acme.test',
        emailVerified: true,
        firstName: 'Ada',
        lastName: 'L',
        enabled: true,
        groups: ['/platform-sre', '/all'],
        credentials: [{ type: 'password', value: 'pw-ada' }],
      },
    ],
  })
  const clients = `/admin/realms/${realm}/clients`
  return {
    descriptor: async () => {
      const answer = await keycloak.admin('GET', `/realms/${realm}/protocol/saml/descriptor`)
      return answer.text()
    },
    async trust(metadata) {
      const path = `/admin/realms/${realm}/client-description-converter`
      // What Keycloak makes of our metadata.
      const read = (await (await keycloak.admin('POST', path, metadata)).json()) as Client
      await keycloak.admin('POST', clients, {
        ...read,
        enabled: true,
        frontchannelLogout: true,
        fullScopeAllowed: false,
        // Else the assertion carries an attribute for each role.
        defaultClientScopes: [],
        attributes: {
          ...read.attributes,
          'saml.assertion.signature': 'true',
          'saml.server.signature': 'true',
          'saml.signature.algorithm': 'RSA_SHA256',
          'saml.authnstatement': 'true',
          'saml.force.post.binding': 'false',
          saml_force_name_id_format: 'true',
          saml_name_id_format: 'email',
        },
        protocolMappers: [emailMapper, groupMapper],
      })
    },
    async forgetPostLogout() {
      const list = (await (await keycloak.admin('GET', `${clients}?max=100`)).json()) as Client[]
      const name = 'saml_single_logout_service_url_post'
      const client = list.find(({ attributes }) => attributes[name] !== undefined)
      if (!client) throw new Error('Keycloak did not read our POST endpoint')
      await keycloak.admin('PUT', `${clients}/${client.id}`, {
        ...client,
        attributes: { ...client.attributes, [name]: '' },
      })
    },
    async changeKey() {
      await keycloak.admin('POST', `/admin/realms/${realm}/components`, {
        name: 'a-new-key',
        providerId: 'rsa-generated',
        providerType: 'org.keycloak.keys.KeyProvider',
        config: {
          priority: ['1000'],
          keySize: ['2048'],
          active: ['true'],
          enabled: ['true'],
          algorithm: ['RS256'],
        },
      })
    },
    logoutUrl: `${keycloak.origin}/realms/${realm}/protocol/openid-connect/logout`,
  }
}

const emailMapper = {
  name: 'email',
  protocol: 'saml',
  protocolMapper: 'saml-user-property-mapper',
  config: { 'user.attribute': 'email', 'attribute.name': 'email', 'attribute.nameformat': 'Basic' },
}

/** Not `single`: an Attribute element of the same name for every group. */
const groupMapper = {
  name: 'groups',
  protocol: 'saml',
  protocolMapper: 'saml-group-membership-mapper',
  config: {
    'attribute.name': 'groups',
    'attribute.nameformat': 'Basic',
    single: 'false',
    'full.path': 'false',
  },
}
