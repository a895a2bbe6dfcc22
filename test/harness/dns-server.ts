import { createSocket } from 'node:dgram'
import { once } from 'node:events'

export type DnsServer = {
  /** The server's address, in the form of CC_DNS_SERVERS. */
  address: string
  /** TXT records by name. A name that is missing here does not exist. */
  records: Map<string, string[]>
  /** `refuse` answers as a name server that is out of order. */
  mode: 'answer' | 'refuse'
  asked: string[]
  close(): Promise<void>
}

const noError = 0
const refused = 5
const nameError = 3
const txtType = 16
const headerLength = 12

/** A real name server on UDP that serves TXT records only (RFC 1035). */
export async function startDnsServer(): Promise<DnsServer> {
  const socket = createSocket('udp4')
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  const server: DnsServer = {
    address: `127.0.0.1:${socket.address().port}`,
    records: new Map(),
    mode: 'answer',
    asked: [],
    async close() {
      socket.close()
      await once(socket, 'close')
    },
  }
  socket.on('message', (query, from) => {
    const { name, end } = readName(query)
    server.asked.push(name)
    const texts = server.records.get(name.toLowerCase())
    const code = server.mode === 'refuse' ? refused : texts ? noError : nameError
    const answers = code === noError ? (texts ?? []).map(txtRecord) : []
    const header = Buffer.from(query.subarray(0, headerLength))
    // The flags: a response, recursion available, and the response code.
    header.writeUInt16BE(0x8180 | code, 2)
    header.writeUInt16BE(answers.length, 6)
    header.writeUInt32BE(0, 8)
    const question = query.subarray(headerLength, end)
    socket.send(Buffer.concat([header, question, ...answers]), from.port, from.address)
  })
  return server
}

function readName(query: Buffer): { name: string; end: number } {
  const labels: string[] = []
  let at = headerLength
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length))
    at += 1 + length
  }
  // The question's type and class follow the root label.
  return { name: labels.join('.'), end: at + 5 }
}

/**
 * A TXT answer for the name in the question. RFC 1035 limits a string to 255 octets, so longer
 * texts are split.
 */
function txtRecord(text: string): Buffer {
  const pieces = text.match(/.{1,255}/gs) ?? ['']
  const data = Buffer.concat(
    pieces.map((piece) => Buffer.from([piece.length, ...Buffer.from(piece)])),
  )
  const fixed = Buffer.alloc(12)
  fixed.writeUInt16BE(0xc00c, 0)
  fixed.writeUInt16BE(txtType, 2)
  fixed.writeUInt16BE(1, 4)
  fixed.writeUInt32BE(60, 6)
  fixed.writeUInt16BE(data.length, 10)
  return Buffer.concat([fixed, data])
}
