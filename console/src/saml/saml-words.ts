import type { SamlTrace } from '../api/types.ts'

const kinds: Record<SamlTrace['kind'], string> = {
  login: 'Sign-in',
  test: 'Test',
  logout: 'Sign-out',
}

/** The cause of a failed attempt and its fix. Field names are those that identity providers use. */
const causes: Record<string, string> = {
  signature_missing:
    'It has no signature. Configure the provider to sign the response or the assertion.',
  signature_invalid:
    'The signature does not match any certificate saved here. Check whether the provider changed its key.',
  signature_algorithm: 'It is not signed with RSA-SHA256. SHA-1 is refused: change the algorithm.',
  signature_digest: 'The content does not match the signature: it was changed in transit.',
  second_verifier_refused:
    'The first verifier accepted it and the second one, node-saml, refused it. See the runbook.',
  second_verifier_differs:
    'The two verifiers read different data in it. Keep it: an attacker may have tried to forge a sign-in.',
  assertion_encrypted:
    'The assertion is encrypted. Turn encryption off: HTTPS already encrypts it.',
  issuer: 'It comes from another entity ID than the one saved here.',
  response_issuer: 'It comes from another entity ID than the one saved here.',
  audience: 'Its audience is another service. Set the audience to the entity ID above.',
  audience_missing: 'It has no audience. Set the audience to the entity ID above.',
  recipient: 'Its recipient is another URL. Set the ACS URL to the one above.',
  destination: 'Its destination is another URL. Set the ACS URL to the one above.',
  in_response_to: 'It answers another sign-in than the one that was started here.',
  request_unknown: 'It answers no sign-in that was started here, or one that has expired.',
  expired: 'It had expired when it arrived. Compare the clocks of both sides.',
  stale: 'It was issued too long ago. Compare the clocks of both sides.',
  issued_in_future: 'Its issue time is in the future. Compare the clocks of both sides.',
  not_yet_valid: 'It is not valid yet. Compare the clocks of both sides.',
  replayed: 'It was already used. Start a new sign-in.',
  email_missing:
    'There was no address in it. Name the attribute that has it, or send it as the NameID.',
  email_invalid: 'The address in it is not an email address.',
  email_repeated: 'It contained several different addresses.',
  email_domain_not_allowed: 'The address belongs to a domain that is not one of this organization.',
  email_is_the_user_name_of_another: 'The address is the user name of somebody else here.',
  too_many_groups: 'It contained too many groups. Configure the provider to send fewer.',
  person_above_editor:
    'The role of the person is higher than that of the person who last saved or enabled this identity provider. A person with that role, usually an Owner, must save its settings again, signed in with a password.',
  user_deactivated: 'The person is deactivated here.',
  user_deprovisioned: 'The person was removed by provisioning. Add them there again.',
  not_enabled: 'Single sign-on is not enabled here.',
  configuration_changed:
    'The identity provider was replaced here while the sign-in was checked. Start a new sign-in.',
  not_configured: 'There is no identity provider here any more.',
  organization_suspended: 'The organization is suspended.',
  certificate_not_rsa: 'The certificate has no RSA key.',
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
