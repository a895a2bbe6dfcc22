export type Secret = {
  value: string
  /** The kind of secret, for the message. No message contains the value. */
  kind: string
  /** The address whose mails may contain it. */
  mailedTo?: string
}

export type Written = {
  place: string
  text: string
  /** Set for a mail, which may contain its recipient's own secrets. */
  mailTo?: string
}

export type Finding = { kind: string; place: string; around: string }

/**
 * Shorter values occur in texts by chance: six-digit codes, and passwords of tests that are one
 * word.
 */
export const shortestSecret = 12

/** A whole token of the product. It may be written nowhere, whether a test noted it or not. */
const tokenShape = /cc_(?:pat|scim|agt|run)_[0-9A-Za-z]{49}/g

/** Finds each secret in the texts, as it is, JSON-escaped, or in hex as in a byte column. */
export function findSecrets(secrets: Iterable<Secret>, written: readonly Written[]): Finding[] {
  const byStart = new Map<string, Array<Secret & { form: string }>>()
  for (const secret of secrets)
    for (const form of formsOf(secret.value)) {
      const start = form.slice(0, shortestSecret)
      byStart.set(start, [...(byStart.get(start) ?? []), { ...secret, form }])
    }
  const starts = new RegExp([...byStart.keys()].map(escape).join('|') || '(?!)', 'g')
  return written.flatMap(({ place, text, mailTo }) => [
    ...[...text.matchAll(starts)].flatMap(({ 0: start, index }) =>
      (byStart.get(start) ?? [])
        .filter(
          ({ form, mailedTo }) => text.startsWith(form, index) && !(mailTo && mailedTo === mailTo),
        )
        .map(({ kind, form }) => ({ kind, place, around: around(text, index, form.length) })),
    ),
    ...(mailTo ? [] : [...text.matchAll(tokenShape)]).map(({ 0: token, index }) => ({
      kind: 'a token',
      place,
      around: around(text, index, token.length),
    })),
  ])
}

const formsOf = (value: string): string[] => [
  ...new Set([value, JSON.stringify(value).slice(1, -1), Buffer.from(value).toString('hex')]),
]

const escape = (text: string) => text.replaceAll(/[.*+?^${}()|[\]\\/]/g, String.raw`\$&`)

const around = (text: string, index: number, length: number): string =>
  `${text.slice(Math.max(0, index - 120), index)}‹here›${text.slice(index + length, index + length + 60)}`
