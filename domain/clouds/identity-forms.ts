export type IdentityField = 'roleArn' | 'clientId' | 'serviceAccountEmail'

export const uuid = /^[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$/

/** What names an identity at a cloud, for the account's own and for those of runs. `form`: how to write it. */
export const identityForms: Record<IdentityField, { pattern: RegExp; form: string }> = {
  roleArn: {
    pattern: /^arn:aws[a-z-]{0,20}:iam::\d{12}:role\/[\w+=,.@/-]{1,576}$/,
    form: 'write it as arn:aws:iam::123456789012:role/name',
  },
  clientId: {
    pattern: uuid,
    form: 'write it as a UUID, such as 0b1f6471-1bf0-4dda-aec3-cb9272f09590',
  },
  serviceAccountEmail: {
    pattern: /^[a-z0-9.-]{1,100}@[a-z0-9.:-]{1,200}\.gserviceaccount\.com$/,
    form: 'write it as name@project.iam.gserviceaccount.com',
  },
}
