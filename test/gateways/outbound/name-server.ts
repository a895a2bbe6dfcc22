import { createSocket } from 'node:dgram'
import { once } from 'node:events'

export type NameServer = {
  /** In the form of CC_DNS_SERVERS. */
  address: string
  /** Names that were asked for, once a question. */
  asked: string[]
  close(): Promise<void>
}

const types = { a: 1, aaaa: 28 }
/** Questions of this type about names below this one are never answered; those of the other type are. */
const silent = { 'silent-four.example': types.a, 'silent-six.example': types.aaaa }
/** Likewise, answered after `lateMs`: longer than the other family is awaited. */
const late = { 'late-four.example': types.a, 'late-six.example': types.aaaa }
const lateMs = 500
const headerLength = 12
const nameError = 3

/**
 * A name server on UDP (RFC 1035). It answers names with these addresses, never answers names below `dead.example`,
 * answers names below `silent-four.example` and `silent-six.example` for the other family alone, those below
 * `late-four.example` and `late-six.example` late for that one, and knows no other.
 */
export async function startNameServer(names: Record<string, string[]>): Promise<NameServer> {
  const socket = createSocket('udp4')
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  const asked: string[] = []
  socket.on('message', (query, from) => {
    const { name, type, end } = questionOf(query)
    asked.push(name)
    if (name.endsWith('dead.example')) return
    const isOf = (of: Record<string, number>) =>
      Object.entries(of).some(([below, one]) => name.endsWith(below) && type === one)
    if (isOf(silent)) return
    const known = names[name]
    const records = (known ?? [])
      .map((address) => recordOf(address))
      .filter((record) => record.readUInt16BE(2) === type)
    const header = Buffer.from(query.subarray(0, headerLength))
    // The flags: a response, recursion available, and the response code.
    header.writeUInt16BE(0x8180 | (known ? 0 : nameError), 2)
    header.writeUInt16BE(records.length, 6)
    header.writeUInt32BE(0, 8)
    const question = query.subarray(headerLength, end)
    const answer = Buffer.concat([header, question, ...records])
    const send = () => socket.send(answer, from.port, from.address)
    if (isOf(late)) setTimeout(send, lateMs)
    else send()
  })
  return {
    address: `127.0.0.1:${socket.address().port}`,
    asked,
    async close() {
      socket.close()
      await once(socket, 'close')
    },
  }
}

function questionOf(query: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = []
  let at = headerLength
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length))
    at += 1 + length
  }
  return { name: labels.join('.'), type: query.readUInt16BE(at + 1), end: at + 5 }
}

/** An answer for the name in the question. */
function recordOf(address: string): Buffer {
  const isV6 = address.includes(':')
  const data = isV6 ? bytesOfV6(address) : Buffer.from(address.split('.').map(Number))
  const fixed = Buffer.alloc(12)
  fixed.writeUInt16BE(0xc00c, 0)
  fixed.writeUInt16BE(isV6 ? types.aaaa : types.a, 2)
  fixed.writeUInt16BE(1, 4)
  fixed.writeUInt32BE(60, 6)
  fixed.writeUInt16BE(data.length, 10)
  return Buffer.concat([fixed, data])
}

function bytesOfV6(text: string): Buffer {
  const [head = '', tail = ''] = text.split('::')
  const groups = (part: string) => part.split(':').filter(Boolean)
  const between = Array<string>(8 - groups(head).length - groups(tail).length).fill('0')
  const all = [...groups(head), ...between, ...groups(tail)]
  return Buffer.from(all.map((group) => group.padStart(4, '0')).join(''), 'hex')
}
