import type { Sso } from '../api/types.ts'
import type { Guides, GuideStep } from '../parts/guide.tsx'

const last: GuideStep[] = [
  {
    text: 'Under *Identity provider* above, choose *Set up an identity provider* and paste the metadata. Then choose *Change the mapping…* and enter the attribute names of these steps.',
  },
  {
    text: 'Choose *Test sign-in*. It shows what the provider sent, and changes nothing for anybody. Then choose *Enable*.',
  },
]

type Addresses = Sso['serviceProvider']
type Guide = Guides[string]

/** The steps at each identity provider, with the names that its forms have. */
export const ssoGuides = (addresses: Addresses): Guides => ({
  entra: entra(addresses),
  okta: okta(addresses),
  google: google(addresses),
  keycloak: keycloak(addresses),
  other: other(addresses),
})

const entra = ({ entityId, acsUrl, sloUrl }: Addresses): Guide => ({
  name: 'Entra ID',
  steps: [
    {
      text: 'In the Microsoft Entra admin center open *Enterprise apps*, *New application*, *Create your own application*. Choose *Integrate any other application you don’t find in the gallery (Non-gallery)*, then *Create*.',
    },
    {
      text: 'Open *Single sign-on*, choose *SAML*, and edit *Basic SAML Configuration*:',
      values: [
        ['Identifier (Entity ID)', entityId],
        ['Reply URL (Assertion Consumer Service URL)', acsUrl],
        ['Logout Url (Optional)', sloUrl],
      ],
    },
    {
      text: 'Edit *Attributes & Claims*. *Unique User Identifier (Name ID)* stays `user.userprincipalname`, or is `user.mail` where that is the address. Choose *Add new claim* with these names, the first with the *Source attribute* `user.mail` and the second with `user.displayname`:',
      values: [
        ['Name of the address', 'email'],
        ['Name of the name', 'displayName'],
      ],
    },
    {
      text: 'Choose *Add a group claim*, *Groups assigned to the application*. As *Source attribute* take *Group ID*, under *Advanced options* tick *Customize the name of the group claim* and enter the *Name*:',
      values: [['Name of the groups', 'groups']],
    },
    { text: 'Under *SAML Certificates* download the *Federation Metadata XML*.' },
    { text: 'Under *Users and groups* choose *Add user/group* for those who may sign in.' },
    ...last,
  ],
})

const okta = ({ entityId, acsUrl }: Addresses): Guide => ({
  name: 'Okta',
  steps: [
    {
      text: 'In the Okta Admin Console open *Applications*, *Applications*, *Create App Integration*. Choose *SAML 2.0*, then *Next*, and enter an *App name*.',
    },
    {
      text: 'Under *Configure SAML* fill in *General*. Leave *Use this for Recipient URL and Destination URL* ticked.',
      values: [
        ['Single sign-on URL', acsUrl],
        ['Audience URI (SP Entity ID)', entityId],
      ],
    },
    {
      text: 'Set *Name ID format* to *EmailAddress* and *Application username* to *Email*.',
    },
    {
      text: 'Add two *Attribute Statements*, with the *Value* `user.email` and `user.displayName`:',
      values: [
        ['Name of the address', 'email'],
        ['Name of the name', 'displayName'],
      ],
    },
    {
      text: 'Add one of *Group Attribute Statements* with the *Filter* *Matches regex* and `.*`:',
      values: [['Name of the groups', 'groups']],
    },
    {
      text: 'After *Finish*, open the tab *Sign On* and the *Metadata URL* under *Metadata details*. Copy the whole text of that page.',
    },
    { text: 'Under *Assignments* choose *Assign* for the people or groups who may sign in.' },
    ...last,
  ],
})

const google = ({ entityId, acsUrl }: Addresses): Guide => ({
  name: 'Google Workspace',
  steps: [
    {
      text: 'In the Google Admin console open *Apps*, *Web and mobile apps*, *Add app*, *Add custom SAML app*. Enter an *App name*, then *Continue*.',
    },
    { text: 'Under *Option 1* choose *Download metadata*, then *Continue*.' },
    {
      text: 'Fill in *Service provider details*, and tick *Signed response*:',
      values: [
        ['ACS URL', acsUrl],
        ['Entity ID', entityId],
      ],
    },
    {
      text: 'Set *Name ID format* to *EMAIL* and *Name ID* to *Basic Information > Primary email*, then *Continue*.',
    },
    {
      text: 'Under *Attributes* choose *Add mapping* for *Primary email* and for *First name*. Under *Group membership (optional)* search the groups whose members get a role here. *App attribute* of each:',
      values: [
        ['Primary email', 'email'],
        ['First name', 'displayName'],
        ['Google groups', 'groups'],
      ],
    },
    {
      text: 'Choose *Finish*, open *User access* and choose *ON for everyone*, or turn it on for an organizational unit.',
    },
    ...last,
  ],
})

const keycloak = ({ entityId, acsUrl, sloUrl }: Addresses): Guide => ({
  name: 'Keycloak',
  steps: [
    {
      text: 'In the Admin Console choose the realm, *Clients*, *Create client*. As *Client type* take *SAML*:',
      values: [['Client ID', entityId]],
    },
    {
      text: 'Under *Login settings*, then *Save*:',
      values: [
        ['Valid redirect URIs', acsUrl],
        ['Master SAML Processing URL', acsUrl],
      ],
    },
    {
      text: 'Under *Settings* set *Name ID format* to *email*, and turn on *Force POST binding*, *Sign documents* and *Sign assertions*. *Signature algorithm* is *RSA_SHA256*. Under *Keys* turn off *Client signature required*.',
    },
    {
      text: 'Under *Advanced*, *Fine Grain SAML Endpoint Configuration*:',
      values: [
        ['Assertion Consumer Service POST Binding URL', acsUrl],
        ['Logout Service POST Binding URL', sloUrl],
      ],
    },
    {
      text: 'Under *Client scopes* open the scope whose name ends in *-dedicated*. Choose *Add mapper*, *By configuration*, *User Property* with the *Property* `email`, and the same with `username`. Then *Group list* with *Single Group Attribute* on and *Full group path* off. Names of these attributes:',
      values: [
        ['SAML Attribute Name of email', 'email'],
        ['SAML Attribute Name of username', 'displayName'],
        ['Group attribute name', 'groups'],
      ],
    },
    {
      text: 'Under *Realm settings*, *General*, *Endpoints* open *SAML 2.0 Identity Provider Metadata*. Copy the whole text of that page.',
    },
    ...last,
  ],
})

const other = ({ entityId, acsUrl, sloUrl, metadataUrl }: Addresses): Guide => ({
  name: 'Another provider',
  steps: [
    {
      text: 'Create a SAML 2.0 application there. If it takes metadata, give it the metadata URL, else the three values.',
      values: [
        ['Metadata URL', metadataUrl],
        ['Entity ID (audience)', entityId],
        ['ACS URL (reply URL)', acsUrl],
        ['Logout URL', sloUrl],
      ],
    },
    {
      text: 'The response or its assertion must be signed with RSA-SHA256. Leave the encryption of assertions off: HTTPS already encrypts them (Shibboleth: `p:encryptAssertions="false"`). The *NameID* is the address, or an attribute has it. Send further attributes by names like these:',
      values: [
        ['Address', 'email'],
        ['Name', 'displayName'],
        ['Groups', 'groups'],
      ],
    },
    { text: 'Copy the metadata of the provider.' },
    ...last,
  ],
})
