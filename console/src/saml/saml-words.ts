import type { SamlTrace } from '../api/types.ts'

const kinds: Record<SamlTrace['kind'], string> = {
  login: 'Sign-in',
  test: 'Test',
  logout: 'Sign-out',
}

/** The cause of a failed attempt and its fix. Field names are those that identity providers use. */
const causes: Record<string, string> = {
  signature_missing: 'Nothing was signed. Let the provider sign the response or the assertion.',
  signature_invalid:
    'The signature does not fit any certificate saved here. Has the provider changed its key?',
  signature_algorithm: 'It is not signed by RSA-SHA256. SHA-1 is refused: change the algorithm.',
  signature_digest: 'What was signed is not what came: it was changed on its way.',
  second_verifier_refused:
    'Our own check accepted it and the second one, node-saml, did not. The runbook says what to do.',
  second_verifier_differs:
    'The two checks read different things in it. Keep it: somebody may have tried to forge a sign-in.',
  assertion_encrypted: 'The assertion is encrypted. Turn encryption off: HTTPS carries it safely.',
  issuer: 'It comes from another entity ID than the one saved here.',
  response_issuer: 'It comes from another entity ID than the one saved here.',
  audience: 'It is meant for another service. Set the audience to the entity ID above.',
  audience_missing: 'It names no audience. Set it to the entity ID above.',
  recipient: 'It is addressed elsewhere. Set the ACS URL to the one above.',
  destination: 'It is addressed elsewhere. Set the ACS URL to the one above.',
  in_response_to: 'It answers another sign-in than the one that was begun here.',
  request_unknown: 'It answers no sign-in that was begun here, or one that is too old.',
  expired: 'It had expired when it came. Compare the clocks of both sides.',
  stale: 'It was made too long ago. Compare the clocks of both sides.',
  issued_in_future: 'It comes from the future. Compare the clocks of both sides.',
  not_yet_valid: 'It is not valid yet. Compare the clocks of both sides.',
  replayed: 'It was used before. Begin a new sign-in.',
  email_missing:
    'There was no address in it. Name the attribute that has it, or send it as the NameID.',
  email_invalid: 'What should be the address is none.',
  email_repeated: 'There were several different addresses in it.',
  email_domain_not_allowed: 'The address belongs to a domain that is not one of this organization.',
  email_is_the_user_name_of_another: 'The address is the user name of somebody else here.',
  too_many_groups: 'It carried more groups than are taken. Let the provider send fewer.',
  person_above_editor:
    'The role of the person here is above that of whoever saved or enabled this identity provider last. Somebody with that role, an Owner as a rule, must save its settings again, signed in with a password.',
  user_deactivated: 'The person is deactivated here.',
  user_deprovisioned: 'The person was removed by provisioning. Add them there again.',
  not_enabled: 'Single sign-on is not enabled here.',
  not_configured: 'There is no identity provider here any more.',
  organization_suspended: 'The organization is suspended.',
  certificate_not_rsa: 'The certificate is not one of RSA.',
}

/** Describes the outcome of an attempt. */
export function traceWords({ kind, outcome, step, cause }: SamlTrace): string {
  if (outcome === 'success')
    return step === 'would_sign_in' ? 'Test: it would sign in.' : `${kinds[kind]} succeeded.`
  if (cause?.startsWith('status_'))
    return `${kinds[kind]}: the provider itself refused it (${plain(cause.slice(7))}). Is the person assigned to this application there?`
  return `${kinds[kind]}: ${(cause && causes[cause]) ?? `it failed: ${plain(cause ?? step)}.`}`
}

const plain = (code: string): string => code.replaceAll('_', ' ')
