import { AppError } from '../../domain/errors.ts'

/** One body for every wrong credential, so that a caller cannot tell which part was wrong. */
export const wrongCredentials = () =>
  new AppError('unauthenticated', 'The email or the password is wrong.', {
    code: 'invalid_credentials',
  })

export const organizationSuspended = () =>
  new AppError('forbidden', 'This organization is suspended.', { code: 'organization_suspended' })

export const ssoRequired = () =>
  new AppError('forbidden', 'This organization signs in by single sign-on.', {
    code: 'sso_required',
  })

/** For a caller who is signed in, so it is no 401. */
export const wrongOwnPassword = () =>
  new AppError('forbidden', 'The password is wrong.', { code: 'invalid_credentials' })

export const wrongOwnCode = () =>
  new AppError('forbidden', 'The code is wrong or was used already.', { code: 'invalid_code' })

/** Of an invitation that was used, replaced or is over, or never was. */
export const invitationInvalid = () =>
  new AppError('invalid', 'This invitation was used already or is over. Ask for a new one.', {
    code: 'invitation_invalid',
  })

/** Nothing was checked, so it counts as no try. */
export const triesInFlight = () =>
  new AppError('rate_limited', 'Other tries are being checked. Try again in a second.', {
    code: 'tries_in_flight',
    retryAfterSeconds: 1,
  })
