import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'

export type ReceivedMail = {
  /** Of the envelope: where it really goes, whatever the headers say. */
  to: string[]
  /** As it came: headers, an empty line, the parts. */
  raw: string
}

export type MailServer = {
  url: string
  received: ReceivedMail[]
  /** The newest to this address, once there are `count` of them. */
  waitFor(address: string, count?: number): Promise<ReceivedMail>
  close(): Promise<void>
}

/** A real SMTP server in this process. It takes what comes, but where `options` say otherwise. */
export async function startMailServer(
  port = 0,
  options: SMTPServerOptions = {},
): Promise<MailServer> {
  const received: ReceivedMail[] = []
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    logger: false,
    onData(stream, session, done) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        const to = session.envelope.rcptTo.map(({ address }) => address)
        received.push({ to, raw: Buffer.concat(chunks).toString() })
        done()
      })
    },
    ...options,
  })
  server.on('error', () => undefined)
  const listening = server.listen(port, '127.0.0.1')
  await once(listening, 'listening')
  // It listens on a port, so this is no path of a socket.
  const address = listening.address() as AddressInfo
  return {
    url: `smtp://127.0.0.1:${address.port}`,
    received,
    async waitFor(to, count = 1) {
      const deadline = Date.now() + 30_000
      for (;;) {
        const found = received.filter((mail) => mail.to.includes(to))
        const newest = found.at(-1)
        if (newest && found.length >= count) return newest
        if (Date.now() > deadline) throw new Error(`${found.length} of ${count} mails to ${to}`)
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
    },
    close: async () => new Promise((resolve) => server.close(() => resolve())),
  }
}

/** A mail's plain text, its transfer encoding undone. */
export function textOf({ raw }: ReceivedMail): string {
  const [, headers = '', body = ''] =
    /(Content-Type: text\/plain[\s\S]*?)\r\n\r\n([\s\S]*?)\r\n--/.exec(raw) ?? []
  if (/base64/i.test(headers)) return Buffer.from(body, 'base64').toString()
  if (!/quoted-printable/i.test(headers)) return body
  const bytes = body
    .replaceAll(/=\r\n/g, '')
    .replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) =>
      String.fromCharCode(Number.parseInt(hex, 16)),
    )
  return Buffer.from(bytes, 'latin1').toString()
}
