import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createTransport } from 'nodemailer'
import type { Logger } from 'pino'
import type { Config } from '../../config.ts'
import { unavailable } from '../../domain/errors.ts'

export type Mail = { to: string; subject: string; text: string }

export type Mailer = { send(mail: Mail): Promise<void> }

/** SMTP where it is set; else each mail is a file in `CC_DATA_DIR/mail/` and its subject a log line (decisions §1a). */
export function createMailer(config: Config, log: Logger): Mailer {
  const { smtpUrl, mailFrom, dataDir } = config
  if (smtpUrl) {
    const transport = createTransport(smtpUrl.reveal())
    return {
      async send(mail) {
        try {
          await transport.sendMail({ from: mailFrom, ...mail })
        } catch (error) {
          throw unavailable('mail_unavailable', 'The mail server cannot be reached.', error)
        }
      },
    }
  }
  const files = createTransport({ streamTransport: true, buffer: true, newline: 'unix' })
  return {
    async send(mail) {
      const { message } = await files.sendMail({ from: mailFrom, ...mail })
      const folder = join(dataDir, 'mail')
      await mkdir(folder, { recursive: true, mode: 0o700 })
      const name = `${new Date().toISOString().replaceAll(':', '-')}-${process.hrtime.bigint()}.eml`
      await writeFile(join(folder, name), message as Buffer, { mode: 0o600 })
      log.info({ subject: mail.subject, file: name }, 'mail written to a file')
    },
  }
}
