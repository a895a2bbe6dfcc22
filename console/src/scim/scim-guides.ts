import type { Guides, GuideStep } from '../parts/guide.tsx'

const token: GuideStep = {
  text: 'Under *Provisioning by SCIM 2.0* choose *New SCIM token*, and copy the token. It is shown once.',
}
const groups: GuideStep = {
  text: 'Under *Groups and roles* map the groups that give a role. Without a mapping, people keep the role that single sign-on gives.',
}

type Guide = Guides[string]

/** The steps at each identity provider, with the names that its forms have. */
export const scimGuides = (baseUrl: string): Guides => ({
  entra: entra(baseUrl),
  okta: okta(baseUrl),
  google,
  keycloak: keycloak(baseUrl),
  other: other(baseUrl),
})

const entra = (baseUrl: string): Guide => ({
  name: 'Entra ID',
  steps: [
    token,
    {
      text: 'In the Microsoft Entra admin center open *Enterprise apps*, the application of single sign-on, *Provisioning*, *Connect your application*. Where the page has a *Provisioning Mode*, set it to *Automatic* and open *Admin Credentials*. Enter the token as *Secret token*, and:',
      values: [['Tenant URL', baseUrl]],
    },
    {
      text: 'Choose *Test connection*, then *Create* or *Save*. The test below shows the request.',
    },
    {
      text: 'Under *Mappings* leave both turned on. Under *Settings* take the *Scope* *Sync only assigned users and groups*.',
    },
    {
      text: 'Choose *Start provisioning*, or set *Provisioning Status* to *On*. Entra ID sends changes every 40 minutes.',
    },
    groups,
  ],
})

const okta = (baseUrl: string): Guide => ({
  name: 'Okta',
  steps: [
    token,
    {
      text: 'In the Okta Admin Console open the application of single sign-on. Under *General*, *App Settings*, *Edit*, set *Provisioning* to *SCIM*, then *Save*.',
    },
    {
      text: 'Under *Provisioning*, *Integration*, *Edit*, tick *Push New Users*, *Push Profile Updates* and *Push Groups*. Set *Authentication Mode* to *HTTP Header* and enter the token as *Authorization*:',
      values: [
        ['SCIM connector base URL', baseUrl],
        ['Unique identifier field for users', 'userName'],
      ],
    },
    {
      text: 'Choose *Test Connector Configuration*, then *Save*. The test below shows the request.',
    },
    {
      text: 'Under *Provisioning*, *To App*, *Edit*, enable *Create Users*, *Update User Attributes* and *Deactivate Users*.',
    },
    { text: 'Under *Assignments* assign people, and under *Push Groups* choose the groups.' },
    groups,
  ],
})

const google: Guide = {
  name: 'Google Workspace',
  steps: [
    {
      text: 'Google Workspace provisions applications of its own catalog alone, and no custom SAML app. Use single sign-on: a person is created at the first sign-in, and groups in the assertion give roles.',
    },
    {
      text: 'A person who leaves can no longer sign in there, and loses access here when their session ends. Deactivate them under *People* to end it at once.',
    },
    groups,
  ],
}

const keycloak = (baseUrl: string): Guide => ({
  name: 'Keycloak',
  steps: [
    {
      text: 'Keycloak sends nothing by SCIM itself. With an extension that does, create a token and enter:',
      values: [['Base URL', baseUrl]],
    },
    token,
    groups,
  ],
})

const other = (baseUrl: string): Guide => ({
  name: 'Another provider',
  steps: [
    token,
    {
      text: 'Enter the base URL there, with the token as *Bearer token* or in the header `Authorization: Bearer …`.',
      values: [
        ['Base URL', baseUrl],
        ['Unique attribute', 'userName'],
      ],
    },
    { text: 'Let it send new people, changes, deactivations and groups.' },
    groups,
  ],
})
