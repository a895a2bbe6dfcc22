import type { ErrorWords } from './error-action.ts'

const sso = { label: 'Open single sign-on', to: '/organization/sso' } as const

/** Errors of signing in, accounts, people, tokens and single sign-on. */
export const accessErrors = {
  unauthenticated: 'You are signed out. Sign in again.',
  forbidden: 'Your role does not allow this. Ask an Org Admin for a higher role.',
  session_required: 'Only a person who is signed in can do this. A token cannot.',
  password_session_required:
    'You signed in by single sign-on. Sign in with your password to change how you sign in.',
  invalid_credentials: { text: 'The email or the password is wrong.', withFacts: true },
  invalid_code: 'The code is wrong or was used already.',
  mfa_token_invalid: 'The time for the code is over. Sign in again.',
  mfa_enabled: 'The second factor is on already.',
  mfa_not_enabled: 'There is no second factor to turn off.',
  mfa_not_enrolled: 'Scan the QR code first, then enter the code of your app.',
  own_second_factor: 'Turn off your own second factor on the page of your account.',
  no_password: 'Your account has no password. Set one by “Forgot password?” on the sign-in page.',
  locked: { text: 'It is locked now. Wait a while and try again.', withFacts: true },
  tries_in_flight: 'Another try is under way. Wait a moment and try again.',
  organization_suspended:
    'This organization is suspended. Ask the person who operates the service.',
  sso_required: 'This organization requires single sign-on. Sign in through it.',
  sso_is_required: {
    text: 'Single sign-on is required here. Allow passwords before you disable the identity provider.',
    action: sso,
  },
  saml_is_enabled: {
    text: 'The identity provider is enabled, and nobody could sign in without its certificate. Disable it first, or add another certificate.',
    action: sso,
  },
  sso_not_enabled: {
    text: 'Set up and enable an identity provider before you require single sign-on.',
    action: sso,
  },
  domain_not_proved:
    'This domain has no DNS record yet. Add the record that is shown, then try again.',
  certificate_missing:
    'The identity provider has no certificate yet. Add it, or nobody can sign in.',
  role_not_mappable: 'A group or provider can assign Org Admin at most.',
  mapping_limit: 'The organization has as many group mappings as it may. Delete one first.',
  invitation_invalid: 'This invitation was used, replaced or is over. Ask for a new one.',
  invitation_mailed: 'Invitations are sent by mail here. Invite the person again.',
  invitation_accepted:
    'This person has accepted the invitation already. A forgotten password is reset on the sign-in page.',
  reset_invalid: 'This link was used or is over. Ask for a new one.',
  password_too_short: 'This password is too short. Use at least 12 characters.',
  password_too_common:
    'This password is too common. Choose one that is neither widely used nor made of your name, address or organization.',
  email_taken: 'A person here has this address already.',
  last_owner: 'This is the last Owner who has signed in. Another Owner must sign in first.',
  role_above_own: 'This is above your own role. Ask a person with a higher role.',
  user_inactive: 'This person is not active. Reactivate the account first.',
  user_not_signed_in: 'This person has never signed in. Ask them to sign in first.',
  slug_taken: 'Another organization has this short name. Choose another one.',
  signing_key_limit: 'The organization has as many signing keys as it may.',
  signing_key_changed: 'Somebody has just replaced the signing key. Look again.',
  own_organization: 'You cannot suspend your own organization.',
  token_limit: {
    text: 'You have as many tokens as you may. Revoke one that is no longer used.',
    action: { label: 'Open tokens', to: '/organization/tokens' },
  },
} as const satisfies Record<string, ErrorWords>
