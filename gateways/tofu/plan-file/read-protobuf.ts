import { PlanForged } from './plan-forged.ts'

/** What a field holds: a number, text, bytes, or a message that is read where it is needed. */
export type FieldKind = 'number' | 'text' | 'bytes'
export type FieldTable = Readonly<Record<number, readonly [name: string, kind: FieldKind]>>
export type Message = Map<string, Array<number | string | Buffer>>

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/**
 * Reads one protobuf message by the table of its fields. Unknown fields are refused: the table belongs to
 * OpenTofu's own version, and an unknown field could matter to it.
 */
export function readMessage(bytes: Buffer, table: FieldTable): Message {
  const message: Message = new Map()
  let at = 0
  const varint = (): number => {
    let value = 0
    for (let shift = 0; shift < 49; shift += 7) {
      const byte = bytes[at]
      if (byte === undefined) throw broken()
      at += 1
      value += (byte & 0x7f) * 2 ** shift
      if (byte < 0x80) return value
    }
    // Numbers of a plan are enumerations, lengths and a version.
    throw broken()
  }
  while (at < bytes.length) {
    const key = varint()
    const [name, kind] = table[Math.floor(key / 8)] ?? []
    if (name === undefined || kind === undefined) throw new PlanForged('it has an unknown field')
    if (key % 8 !== (kind === 'number' ? 0 : 2)) throw broken()
    const value = kind === 'number' ? varint() : chunk()
    const values = message.get(name)
    const read = kind === 'text' && typeof value !== 'number' ? decode(value) : value
    if (values) values.push(read)
    else message.set(name, [read])
  }
  return message

  function chunk(): Buffer {
    const length = varint()
    if (at + length > bytes.length) throw broken()
    at += length
    return bytes.subarray(at - length, at)
  }
}

/** The value of a field that may occur once: of several, readers differ in which they use. */
function single(message: Message, name: string): number | string | Buffer | undefined {
  const values = message.get(name)
  if (values && values.length > 1) throw new PlanForged(`its field ${name} stands twice`)
  return values?.[0]
}

export function textOf(message: Message, name: string): string {
  const value = single(message, name)
  return typeof value === 'string' ? value : ''
}

export function numberOf(message: Message, name: string): number {
  const value = single(message, name)
  return typeof value === 'number' ? value : 0
}

export function bytesOf(message: Message, name: string): Buffer | undefined {
  const value = single(message, name)
  return Buffer.isBuffer(value) ? value : undefined
}

export const listOf = (message: Message, name: string): Buffer[] =>
  (message.get(name) ?? []).filter((value) => Buffer.isBuffer(value))

function decode(bytes: Buffer): string {
  try {
    return utf8.decode(bytes)
  } catch {
    throw broken()
  }
}

const broken = () => new PlanForged('its description is broken')
