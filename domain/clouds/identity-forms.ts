export type IdentityField = 'roleArn' | 'clientId' | 'serviceAccountEmail'

export const uuid = /^[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$/

/** What names an identity at a cloud, for the account's own and for those of runs. */
export const identityForms: Record<IdentityField, { pattern: RegExp; form: string }> = {
  roleArn: {
    pattern: /^arn:aws[a-z-]{0,20}:iam::\d{12}:role\/[\w+=,.@/-]{1,576}$/,
    form: 'is not a role as arn:aws:iam::123456789012:role/name',
  },
  clientId: { pattern: uuid, form: 'is not the UUID of an application' },
  serviceAccountEmail: {
    pattern: /^[a-z0-9.-]{1,100}@[a-z0-9.:-]{1,200}\.gserviceaccount\.com$/,
    form: 'is not the address of a service account',
  },
}
