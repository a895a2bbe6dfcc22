import { isUtf8 } from 'node:buffer'
import { isRecord } from '../../../domain/infrastructure/record.ts'
import { PlanForged, PlanTooLarge } from './plan-forged.ts'

/** A value that is known only after the apply. */
export const unknown: unique symbol = Symbol('unknown')

export type PlanValue =
  | typeof unknown
  | null
  | boolean
  | number
  | string
  | PlanValue[]
  | Map<string, PlanValue>

/** Far below what the stack holds. */
const maxDepth = 500

/**
 * A value as OpenTofu stores it (msgpack as go-cty writes it). Unknown values are extensions of
 * type 0 and 12. A value of a dynamic type stands in a pair behind its type in bytes, which occur
 * nowhere else. A whole number beyond 64 bits, and a decimal that no double holds, is a text.
 *
 * `typed`: a value of a dynamic type is read as the object of value and type that a state has in its place.
 */
export function readValue(bytes: Buffer, { typed = false } = {}): PlanValue {
  let at = 0
  const value = read(0)
  if (at !== bytes.length) throw broken()
  return value

  function read(depth: number): PlanValue {
    if (depth > maxDepth) throw tooDeep()
    const tag = take(1).readUInt8(0)
    if (tag <= 0x7f) return tag
    if (tag <= 0x8f) return readMap(tag & 0x0f, depth)
    if (tag <= 0x9f) return readArray(tag & 0x0f, depth)
    if (tag <= 0xbf) return text(tag & 0x1f)
    if (tag >= 0xe0) return tag - 0x100
    switch (tag) {
      case 0xc0:
        return null
      case 0xc2:
        return false
      case 0xc3:
        return true
      case 0xc7:
        return extension(take(1).readUInt8(0))
      case 0xc8:
        return extension(take(2).readUInt16BE(0))
      case 0xcb:
        return take(8).readDoubleBE(0)
      case 0xcc:
        return take(1).readUInt8(0)
      case 0xcd:
        return take(2).readUInt16BE(0)
      case 0xce:
        return take(4).readUInt32BE(0)
      case 0xcf:
        return Number(take(8).readBigUInt64BE(0))
      case 0xd0:
        return take(1).readInt8(0)
      case 0xd1:
        return take(2).readInt16BE(0)
      case 0xd2:
        return take(4).readInt32BE(0)
      case 0xd3:
        return Number(take(8).readBigInt64BE(0))
      case 0xd4:
      case 0xd5:
      case 0xd6:
      case 0xd7:
      case 0xd8:
        return extension(2 ** (tag - 0xd4))
      case 0xd9:
        return text(take(1).readUInt8(0))
      case 0xda:
        return text(take(2).readUInt16BE(0))
      case 0xdb:
        return text(take(4).readUInt32BE(0))
      case 0xdc:
        return readArray(take(2).readUInt16BE(0), depth)
      case 0xdd:
        return readArray(take(4).readUInt32BE(0), depth)
      case 0xde:
        return readMap(take(2).readUInt16BE(0), depth)
      case 0xdf:
        return readMap(take(4).readUInt32BE(0), depth)
      default:
        throw broken()
    }
  }

  function take(length: number): Buffer {
    if (at + length > bytes.length) throw broken()
    at += length
    return bytes.subarray(at - length, at)
  }

  function text(length: number): string {
    const chunk = take(length)
    return isUtf8(chunk) ? chunk.toString('utf8') : shownText(chunk)
  }

  function extension(length: number): PlanValue {
    const type = take(1).readUInt8(0)
    take(length)
    if (type !== 0x0c && !(type === 0 && length <= 1)) throw broken()
    return unknown
  }

  function readArray(length: number, depth: number): PlanValue {
    if (length === 2 && isBytes(bytes[at])) {
      const type = takeType()
      const value = read(depth + 1)
      return typed ? new Map([['value', value] as const, ['type', readType(type)]]) : value
    }
    // No more is taken in advance than there can be: each element has a byte.
    if (length > bytes.length - at) throw broken()
    return Array.from({ length }, () => read(depth + 1))
  }

  function readMap(length: number, depth: number): PlanValue {
    const map = new Map<string, PlanValue>()
    for (let index = 0; index < length; index += 1) {
      const key = read(depth + 1)
      if (typeof key !== 'string' || map.has(key)) throw broken()
      map.set(key, read(depth + 1))
    }
    return map
  }

  function takeType(): Buffer {
    const tag = take(1).readUInt8(0)
    if (tag === 0xc4) return take(take(1).readUInt8(0))
    if (tag === 0xc5) return take(take(2).readUInt16BE(0))
    return take(take(4).readUInt32BE(0))
  }
}

/** A type is JSON, as `["list","string"]`. */
function readType(bytes: Buffer): PlanValue {
  try {
    return fromJson(JSON.parse(bytes.toString()), 0)
  } catch (error) {
    throw error instanceof SyntaxError ? broken() : error
  }
}

function fromJson(value: unknown, depth: number): PlanValue {
  if (depth > maxDepth) throw tooDeep()
  if (Array.isArray(value)) return value.map((item) => fromJson(item, depth + 1))
  if (isRecord(value))
    return new Map(Object.entries(value).map(([key, item]) => [key, fromJson(item, depth + 1)]))
  if (typeof value !== 'string' && typeof value !== 'boolean') throw broken()
  return value
}

/**
 * Text that is no UTF-8 (`urldecode("%ff")`) as OpenTofu shows it: Go's encoding/json puts U+FFFD in
 * the place of each byte that is part of no character.
 */
function shownText(bytes: Buffer): string {
  const shown = Buffer.allocUnsafe(bytes.length * replacement.length)
  let to = 0
  for (let at = 0; at < bytes.length;) {
    const character = bytes.subarray(at, at + lengthOfCharacter(bytes[at] ?? 0))
    const isOne = isUtf8(character)
    to += (isOne ? character : replacement).copy(shown, to)
    at += isOne ? character.length : 1
  }
  return shown.toString('utf8', 0, to)
}

const replacement = Buffer.from('\uFFFD')

const lengthOfCharacter = (first: number): number =>
  first < 0xc0 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4

const isBytes = (tag: number | undefined) => tag === 0xc4 || tag === 0xc5 || tag === 0xc6

const broken = () => new PlanForged('a value of it is broken')
const tooDeep = () =>
  new PlanTooLarge(`a value is more than ${maxDepth.toLocaleString('en')} levels deep`)
