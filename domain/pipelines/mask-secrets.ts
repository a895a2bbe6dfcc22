/** Shapes that are secrets wherever they stand: keys and tokens of clouds, Git hosts and of this service. */
const wellKnown: readonly RegExp[] = [
  /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/g,
  /\bcc_(?:pat|scim|agt|run)_[0-9A-Za-z]{20,}\b/g,
  /\bgh[pousr]_[0-9A-Za-z]{20,}\b/g,
  /\bgithub_pat_[0-9A-Za-z_]{20,}\b/g,
  /\bglpat-[0-9A-Za-z_-]{20,}/g,
  /\bxox[abprs]-[0-9A-Za-z-]{10,}/g,
  /\beyJ[0-9A-Za-z_-]{10,}\.[0-9A-Za-z_-]{10,}\.[0-9A-Za-z_-]{10,}/g,
  /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g,
  /(?<=:\/\/[^\s/:@]{1,100}:)[^\s/@]{3,}(?=@)/g,
]

export const masked = '[masked]'

/** Shorter values than this would mask half of every log and tell, by where they are missing, what they are. */
const shortestSecret = 4

/**
 * A function that replaces every known secret and every well-known token before a line
 * is stored. A secret of several lines is masked line by line, for that is how it is
 * printed; its base64 and URL-encoded forms too, for that is how tools pass it on.
 */
export function maskSecrets(secrets: readonly string[]): (text: string) => string {
  const forms = new Set<string>()
  for (const secret of secrets) {
    for (const part of [secret, ...secret.split(/\r?\n/)].map((text) => text.trim())) {
      if (part.length < shortestSecret) continue
      forms.add(part)
      forms.add(encodeURIComponent(part))
      forms.add(Buffer.from(part).toString('base64').replace(/=+$/, ''))
      forms.add(JSON.stringify(part).slice(1, -1))
    }
  }
  // The longest first, so that a secret that begins with another one is masked whole.
  const ordered = [...forms].toSorted((a, b) => b.length - a.length)
  const known =
    ordered.length > 0
      ? new RegExp(ordered.map((form) => RegExp.escape(form)).join('|'), 'g')
      : undefined
  return (text) => {
    let clean = known ? text.replace(known, masked) : text
    for (const shape of wellKnown) clean = clean.replace(shape, masked)
    return clean
  }
}
