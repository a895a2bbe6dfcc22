import type { FastifyInstance, InjectOptions, LightMyRequestResponse } from 'fastify'
import type { Mail } from '../../gateways/mail/mailer.ts'
import { findSecrets, shortestSecret, type Secret, type Written } from './find-secrets.ts'

export type SecretWatch = {
  note(kind: string, value: unknown): void
  noteMail(mail: Mail): void
  wrote(place: string, text: string): void
  /** Notes the secrets in the requests that tests inject into this app, and in its answers. */
  follow(app: FastifyInstance): void
  /** Throws if something that was written contains a noted secret. */
  assertNoneWritten(): void
  counts(): { secrets: number; characters: number }
}

/**
 * Notes every secret that a test uses, and what the service writes meanwhile. When a test file
 * ends, its harness searches what was written for the secrets.
 */
export function watchSecrets(): SecretWatch {
  const secrets = new Map<string, Secret>()
  const written: Written[] = []

  const watch: SecretWatch = {
    note(kind, value) {
      if (typeof value !== 'string' || value.length < shortestSecret) return
      if (!secrets.has(value)) secrets.set(value, { value, kind })
    },
    noteMail({ to, text, html = '', subject }) {
      for (const [token] of text.matchAll(/(?<![\w-])[\w-]{43}(?![\w-])/g))
        // The first recipient counts, even if the token was sent back to the service since.
        if (!secrets.get(token)?.mailedTo)
          secrets.set(token, { value: token, kind: 'a mailed link', mailedTo: to })
      written.push({ place: `a mail to ${to}`, text: `${subject}\n${text}\n${html}`, mailTo: to })
    },
    wrote: (place, text) => void written.push({ place, text }),
    follow(app) {
      const inject = app.inject.bind(app)
      const followed = async (options: InjectOptions | string) => {
        const answer = await inject(options)
        noteExchange(watch, typeof options === 'string' ? { url: options } : options, answer)
        return answer
      }
      // Tests always await `inject`, so its chained form is not supported.
      app.inject = followed as typeof app.inject
    },
    assertNoneWritten() {
      const found = findSecrets(secrets.values(), written)
      if (found.length === 0) return
      const lines = found.slice(0, 10).map((one) => `${one.kind} in ${one.place}: …${one.around}…`)
      throw new Error(`${found.length} secrets were written:\n${lines.join('\n')}`)
    },
    counts: () => ({
      secrets: secrets.size,
      characters: written.reduce((sum, { text }) => sum + text.length, 0),
    }),
  }
  return watch
}

function noteExchange(
  watch: SecretWatch,
  { url, method = 'GET', headers = {}, payload }: InjectOptions,
  answer: LightMyRequestResponse,
): void {
  const header = (name: string) => {
    const value = Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1]
    return typeof value === 'string' ? value : ''
  }
  watch.note('a session', /cc_session=([^;]+)/.exec(header('cookie'))?.[1])
  const [scheme = '', credential = ''] = header('authorization').split(' ', 2)
  if (/^bearer$/i.test(scheme)) watch.note('a token', credential)
  if (/^basic$/i.test(scheme)) {
    const text = Buffer.from(credential, 'base64').toString()
    watch.note('a password of basic auth', text.slice(text.indexOf(':') + 1))
  }
  // The fields of a body refused with 400 are not secrets: one test sends the address as its
  // password.
  if (answer.statusCode !== 400) noteFields(watch, bodyOf(payload), sentFields)
  // That of Slack or Teams is itself the right to post. Other addresses are no secrets.
  if (answer.statusCode !== 400 && typeof url === 'string' && url.startsWith('/api/notifications'))
    noteFields(watch, bodyOf(payload), new Set(['url']))
  for (const { name, value } of answer.cookies)
    if (/^(__Host-)?cc_session$/.test(name)) watch.note('a session', value)
  if (answer.statusCode < 400) noteFields(watch, bodyOf(answer.body), givenFields)
  else watch.wrote(`the ${answer.statusCode} of ${method} ${JSON.stringify(url)}`, answer.body)
}

const sentFields = new Set([
  'password',
  'current',
  'token',
  'mfaToken',
  'code',
  'secret',
  'secretAccessKey',
  'clientSecret',
  'serviceAccountKey',
  'private_key',
  'sasToken',
  'connectionString',
])
const givenFields = new Set(['token', 'mfaToken', 'secret', 'recoveryCodes', 'invitationToken'])

function bodyOf(payload: unknown): unknown {
  if (typeof payload !== 'string') return payload
  try {
    return JSON.parse(payload)
  } catch {
    return undefined
  }
}

/** Deeper than any body that the API accepts. One test sends a body nested 5,000 deep. */
const deepest = 20

function noteFields(
  watch: SecretWatch,
  body: unknown,
  fields: ReadonlySet<string>,
  depth = 0,
): void {
  // Bytes are no fields: those of a file of 10 MB took a second.
  if (typeof body !== 'object' || body === null || ArrayBuffer.isView(body) || depth > deepest)
    return
  const entries = Object.entries(body)
  for (const [name, value] of entries) {
    if (fields.has(name))
      for (const one of [value].flat()) {
        watch.note(name, one)
        // A service account's key is JSON text with the private key inside.
        if (typeof one === 'string') noteFields(watch, bodyOf(one), fields, depth + 1)
      }
    else noteFields(watch, value, fields, depth + 1)
  }
  if (entries.some(([name, value]) => name === 'sensitive' && value === true))
    watch.note('a sensitive variable', Object.fromEntries(entries)['value'])
}
