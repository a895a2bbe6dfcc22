import { refuseField } from '../../domain/clouds/refuse-field.ts'

/** A body may repeat the organization's external id, and choose none: another's would be taken over. */
export function assertOwnExternalId(own: string, sent: string | undefined): void {
  if (sent !== undefined && sent !== own)
    throw refuseField('externalId', `is chosen by this service; yours is ${own}`)
}
