import { randomBytes } from 'node:crypto'
import type { RawBody } from './json-client.ts'

export type FormPart = { name: string; value: string; file?: boolean }

/**
 * multipart/form-data (RFC 7578) with each value byte for byte. The platform's own `FormData` turns
 * every line's end into CRLF, which would land in the commit's message.
 */
export function multipartForm(parts: readonly FormPart[]): RawBody {
  const boundary = `cc${randomBytes(16).toString('hex')}`
  const chunks = parts.flatMap(({ name, value, file }) => {
    const quoted = escape(name)
    const filename = file ? `; filename="${quoted}"` : ''
    const type = file ? 'content-type: application/octet-stream\r\n' : ''
    return [
      Buffer.from(
        `--${boundary}\r\ncontent-disposition: form-data; name="${quoted}"${filename}\r\n${type}\r\n`,
      ),
      Buffer.from(value),
      Buffer.from('\r\n'),
    ]
  })
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    bytes: Buffer.concat([...chunks, Buffer.from(`--${boundary}--\r\n`)]),
  }
}

/** As browsers do: a name that could end its header is escaped. */
const escape = (name: string): string =>
  name.replace(/[\r\n"]/g, (letter) => `%${letter.charCodeAt(0).toString(16).padStart(2, '0')}`)
