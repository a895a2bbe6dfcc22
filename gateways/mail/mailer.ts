import { readFileSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { isIP } from 'node:net'
import { join } from 'node:path'
import { getCACertificates } from 'node:tls'
import { createTransport } from 'nodemailer'
import type { Logger } from 'pino'
import type { Config } from '../../config.ts'
import { invalid, unavailable } from '../../domain/errors.ts'
import { oneLine } from './letter.ts'

export type Mail = {
  to: string
  subject: string
  text: string
  html?: string
  /** Equal for all attempts of one mail, so that a mailbox shows a repeated mail once. */
  messageId?: string
}

export type Mailer = { send(mail: Mail): Promise<void> }

/** Sends by SMTP if `SMTP_URL` is set. Otherwise writes each mail to `CC_DATA_DIR/mail/` and logs its subject. */
export function createMailer(config: Config, log: Logger): Mailer {
  const { mailFrom, dataDir } = config
  if (config.smtpUrl) {
    const transport = createTransport(smtpOptions(config, config.smtpUrl.reveal()))
    return {
      async send(mail) {
        const message = messageOf(mail, mailFrom)
        try {
          await transport.sendMail(message)
        } catch (error) {
          throw isRefusal(error)
            ? invalid('The mail server refuses this mail or its address.', [], 'mail_refused')
            : unavailable('mail_unavailable', 'The mail server cannot be reached.', error)
        }
      },
    }
  }
  const files = createTransport({ streamTransport: true, buffer: true, newline: 'unix' })
  return {
    async send(mail) {
      const { message } = await files.sendMail(messageOf(mail, mailFrom))
      const folder = join(dataDir, 'mail')
      await mkdir(folder, { recursive: true, mode: 0o700 })
      const name = `${new Date().toISOString().replaceAll(':', '-')}-${process.hrtime.bigint()}.eml`
      // The option `buffer: true` makes `message` a Buffer.
      await writeFile(join(folder, name), message as Buffer, { mode: 0o600 })
      log.info({ subject: oneLine(mail.subject), file: name }, 'mail written to a file')
    },
  }
}

/** Mails contain links that sign people in, so production requires TLS, except for a server in `CC_PRIVATE_HOSTS`. */
function smtpOptions(config: Config, url: string) {
  const { hostname, port } = new URL(url)
  const opened = config.privateHosts.some(
    (entry) =>
      entry.use === 'smtp' && entry.host === hostname && entry.port === Number(port || 587),
  )
  return {
    url,
    requireTLS: config.production && !opened && !isLoopback(hostname),
    connectionTimeout: 10_000,
    greetingTimeout: 10_000,
    socketTimeout: 30_000,
    // A mail consists of text only: nodemailer must never read a file or a URL that a mail names.
    disableFileAccess: true,
    disableUrlAccess: true,
    ...(config.extraCaFile && {
      tls: { ca: [...getCACertificates('default'), readFileSync(config.extraCaFile, 'utf8')] },
    }),
  }
}

/**
 * A permanent failure of this address or this mail (RFC 5321 4.2.1), so it is not retried. Refusals of the
 * connection or of this service's password are not of the mail: it waits until an operator has mended them.
 */
function isRefusal(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  // nodemailer sets `code` (its own) and `responseCode` (the server's) on its errors.
  const { code, responseCode = 0 } = error as Error & { code?: string; responseCode?: number }
  return (
    (code === 'EENVELOPE' || code === 'EMESSAGE') &&
    responseCode >= 500 &&
    !signInRefusals.has(responseCode)
  )
}

/** RFC 4954 6: they answer any command of a client that has not signed in. */
const signInRefusals = new Set([530, 534, 535, 538])

const isLoopback = (host: string) =>
  host === 'localhost' || host === '[::1]' || (isIP(host) === 4 && host.startsWith('127.'))

/**
 * Refuses a recipient that is not exactly one address: in a header, `a@x, b@y` is two addresses, and a line
 * break starts another header (header injection).
 */
function messageOf({ to, subject, text, html, messageId }: Mail, from: string) {
  if (!/^[^\s@<>()[\],;:"\\]+@[^\s@<>()[\],;:"\\]+$/.test(to) || to !== oneLine(to))
    throw invalid('A mail has one address, without a name.', [], 'mail_refused')
  return {
    from,
    to: { name: '', address: to },
    subject: oneLine(subject),
    text,
    ...(html !== undefined && { html }),
    ...(messageId !== undefined && { messageId }),
    // RFC 3834: tells automatic responders, such as out-of-office replies, not to answer.
    headers: { 'Auto-Submitted': 'auto-generated' },
  }
}
