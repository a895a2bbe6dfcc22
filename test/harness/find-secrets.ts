export type Secret = {
  value: string
  /** What it is, for the message: the value itself is in none. */
  kind: string
  /** The address whose mails may hold it. */
  mailedTo?: string
}

export type Written = {
  place: string
  text: string
  /** Set for a mail: its recipient's own secrets belong there. */
  mailTo?: string
}

export type Finding = { kind: string; place: string; around: string }

/** Shorter ones are in some text by chance: a code of six digits, a password of a test's that is a word. */
export const shortestSecret = 12

/** What is none of a test's doing and never belongs anywhere: a token of ours in its whole length. */
const tokenShape = /cc_(?:pat|scim|agt|run)_[0-9A-Za-z]{49}/g

/** Where one of the secrets stands in one of the texts, as it is or in a byte column's hex. */
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
