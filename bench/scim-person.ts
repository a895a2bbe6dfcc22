/** A user as Entra ID sends it. */
export const scimPerson = (name: string) => ({
  schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'],
  userName: `${name}@sync.example`,
  externalId: `ext-${name}`,
  displayName: `Person ${name}`,
  active: true,
  name: { givenName: 'Person', familyName: name },
  emails: [{ type: 'work', value: `${name}@sync.example`, primary: true }],
})
