import type { Logger } from 'pino'
import type { Config } from '../config.ts'
import { AppError } from '../domain/errors.ts'
import type { Mailer } from '../gateways/mail/mailer.ts'
import type { Store } from '../store/driver/connect.ts'
import type { ChangeFeed } from '../store/platform/change-feed.ts'
import { mailQueue, type QueuedMail } from '../store/platform/mail-queue.ts'
import { drainQueue, type Relay } from './drain-queue.ts'
import { writeMail } from './write-mail.ts'

export type MailRelayOptions = {
  config: Config
  store: Store
  mail: Mailer
  changes: ChangeFeed
  log: Logger
}

/** The mails that a worker sends at once, each over its own connection. */
const atOnce = 8

/**
 * Sends the mail queue, at least once: a mail is removed after the mail server has accepted it, so a worker
 * that dies in between sends it again, with the same Message-ID.
 */
export function startMailRelay(options: MailRelayOptions): Relay {
  const queue = mailQueue(options.store.platform)
  return drainQueue(
    {
      channel: 'cc_mail',
      pollMs: 1_000,
      atOnce,
      claim: async (limit) => queue.claim(limit),
      deliver: async (row) => deliver(options, row),
    },
    options,
  )
}

async function deliver(options: MailRelayOptions, row: QueuedMail): Promise<void> {
  const { store, mail, log } = options
  const queue = mailQueue(store.platform)
  const { id: mailId, organizationId, kind, attempts } = row
  try {
    const written = await writeMail(options, row)
    if (written) await mail.send(written)
    await queue.end(mailId, written ? 'sent' : 'moot')
  } catch (error) {
    const code = error instanceof AppError ? error.code : 'internal'
    // Without the error's message: a mail server's text can contain the recipient's address.
    const about = { mailId, organizationId, kind, attempts, code }
    if (row.isLast || code === 'mail_refused') {
      log.error(about, 'a mail was given up')
      await queue.end(mailId, 'failed', code)
    } else {
      log.warn(about, 'a mail was not sent; it is tried again')
      await queue.again(row, code)
    }
  }
}
