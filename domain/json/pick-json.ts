/**
 * The parts of a JSON text that are read: `true` a text or a number, an object those of its fields that are named, a
 * list with one entry that of each of its items.
 */
export type Wanted = true | { readonly [key: string]: Wanted } | readonly [Wanted]

export type JsonPicker = {
  /** The next bytes, in pieces of any length. Throws `UnreadableJson`. */
  add(bytes: Uint8Array): void
  /** The parts that are there, in their places. Throws if the text has not ended. */
  end(): unknown
}

/** The message says of the text why it cannot be read. */
export class UnreadableJson extends Error {}
export class NotJson extends UnreadableJson {}

/** A longer text or number is passed over. */
const maxTextBytes = 4_096

export type PickLimits = {
  /** Further items of a list are passed over. */
  maxItems: number
  /** Fields of the objects that are read, which cost more than what is passed over. */
  maxFields: number
}
const usualLimits: PickLimits = { maxItems: 1_000, maxFields: 20_000 }

/**
 * Reads some parts of a JSON text of any size, without building the others: `JSON.parse` of 25 MB holds
 * all else up for 60 ms, and for 3 s if its sender means harm. What is passed over is only looked at for where it ends.
 */
export const jsonPicker = (wanted: Wanted, limits = usualLimits): JsonPicker =>
  new Picker(wanted, limits)

const [space, quote, backslash, colon, comma] = [0x20, 0x22, 0x5c, 0x3a, 0x2c]
const [braceOpen, braceClose, bracketOpen, bracketClose] = [0x7b, 0x7d, 0x5b, 0x5d]
/** Numbers, `true`, `false` and `null`. */
const beginsBare = Buffer.from('-0123456789tfn')
const isSpace = (byte: number) => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09

type Level =
  | { items: unknown[]; of: Wanted }
  | { fields: Record<string, unknown>; of: Readonly<Record<string, Wanted>>; key: string }
type State = 'value' | 'first' | 'key' | 'firstKey' | 'colon' | 'after' | 'text' | 'bare' | 'skip'

class Picker implements JsonPicker {
  readonly #limits: PickLimits
  /** The lowest is a list of the whole text alone, which nothing closes. */
  readonly #levels: Level[]
  readonly #whole: unknown[] = []
  #state: State = 'value'
  /** Within a text, or within what is skipped. */
  #isEscaped = false
  #isText = false
  #depth = 0
  /** Of a text: whether it is a key, has no escape and no control character, or the bytes of a value that is wanted. */
  #isKey = false
  #isPlain = true
  #isKept = false
  #kept: Uint8Array[] = []
  #keptBytes = 0
  #fields = 0

  constructor(wanted: Wanted, limits: PickLimits) {
    this.#limits = limits
    this.#levels = [{ items: this.#whole, of: wanted }]
  }

  add(piece: Uint8Array): void {
    const bytes = Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength)
    for (let at = 0; at < bytes.length;) {
      if (this.#state === 'skip') at = this.#skip(bytes, at)
      else if (this.#state === 'text') at = this.#text(bytes, at)
      else {
        this.#step(bytes, at)
        at += 1
      }
    }
  }

  end(): unknown {
    if (this.#state === 'bare') this.#endBare()
    if (this.#state !== 'after' || this.#levels.length > 1) throw notJson()
    return this.#whole[0]
  }

  #step(bytes: Uint8Array, at: number): void {
    const byte = bytes[at] ?? 0
    if (this.#state === 'bare') {
      if (!isSpace(byte) && byte !== comma && byte !== braceClose && byte !== bracketClose)
        return this.#keep(bytes, at, at + 1)
      this.#endBare()
    }
    if (isSpace(byte)) return undefined
    switch (this.#state) {
      case 'first':
        if (byte === bracketClose) return this.#close(byte)
        return this.#begin(bytes, at)
      case 'value':
        return this.#begin(bytes, at)
      case 'firstKey':
        if (byte === braceClose) return this.#close(byte)
        return this.#beginKey(byte)
      case 'key':
        return this.#beginKey(byte)
      case 'colon':
        if (byte !== colon) throw notJson()
        this.#state = 'value'
        return undefined
      default:
        return byte === comma ? this.#next() : this.#close(byte)
    }
  }

  #beginKey(byte: number): void {
    if (byte !== quote) throw notJson()
    this.#fields += 1
    const { maxFields } = this.#limits
    if (this.#fields > maxFields)
      throw new UnreadableJson(`has more than ${maxFields.toLocaleString('en')} fields to be read`)
    this.#beginText({ isKey: true, isKept: true })
  }

  #beginText({ isKey, isKept }: { isKey: boolean; isKept: boolean }): void {
    this.#state = 'text'
    this.#isKey = isKey
    this.#isPlain = true
    this.#startKeeping(isKept)
  }

  #startKeeping(isKept: boolean): void {
    this.#isKept = isKept
    if (this.#kept.length > 0) this.#kept = []
    this.#keptBytes = 0
  }

  #begin(bytes: Uint8Array, at: number): void {
    const byte = bytes[at] ?? 0
    const wanted = this.#wantedHere()
    if (byte === quote) return this.#beginText({ isKey: false, isKept: wanted === true })
    if (byte === braceOpen || byte === bracketOpen) {
      const level = levelOf(wanted, byte)
      if (level) {
        this.#place('items' in level ? level.items : level.fields)
        this.#levels.push(level)
        this.#state = 'items' in level ? 'first' : 'firstKey'
      } else {
        this.#state = 'skip'
        this.#depth = 1
      }
      return undefined
    }
    if (!beginsBare.includes(byte)) throw notJson()
    this.#state = 'bare'
    this.#startKeeping(wanted === true)
    return this.#keep(bytes, at, at + 1)
  }

  #wantedHere(): Wanted | undefined {
    const level = this.#top()
    if ('items' in level) return level.items.length < this.#limits.maxItems ? level.of : undefined
    return Object.hasOwn(level.of, level.key) ? level.of[level.key] : undefined
  }

  /** Only ever under a key that was asked for. */
  #place(value: unknown): void {
    const level = this.#top()
    if ('items' in level) level.items.push(value)
    else level.fields[level.key] = value
  }

  #next(): void {
    if (this.#levels.length === 1) throw notJson()
    this.#state = 'items' in this.#top() ? 'value' : 'key'
  }

  #close(byte: number): void {
    const expected = 'items' in this.#top() ? bracketClose : braceClose
    if (this.#levels.length === 1 || byte !== expected) throw notJson()
    this.#levels.pop()
    this.#state = 'after'
  }

  #top(): Level {
    const level = this.#levels.at(-1)
    if (!level) throw notJson()
    return level
  }

  #keep(bytes: Uint8Array, from: number, to: number): void {
    this.#keptBytes += to - from
    if (this.#isKept && this.#keptBytes <= maxTextBytes) this.#kept.push(bytes.subarray(from, to))
  }

  /** Undefined if it is not wanted, or too long. */
  #keptText(): string | undefined {
    if (!this.#isKept || this.#keptBytes > maxTextBytes) return undefined
    return Buffer.concat(this.#kept).toString()
  }

  #text(bytes: Buffer, from: number): number {
    let [isEscaped, isPlain] = [this.#isEscaped, this.#isPlain]
    let at = from
    for (; at < bytes.length; at += 1) {
      const byte = bytes[at] ?? 0
      if (isEscaped) isEscaped = false
      else if (byte === quote) break
      else if (byte === backslash) {
        isEscaped = true
        isPlain = false
      } else if (byte < space) isPlain = false
    }
    this.#isEscaped = isEscaped
    this.#isPlain = isPlain
    const isWhole = this.#keptBytes === 0 && at - from <= maxTextBytes
    if (at === bytes.length || !isWhole) this.#keep(bytes, from, at)
    if (at === bytes.length) return at
    if (!isWhole) this.#endText(this.#keptText())
    else this.#endText(this.#isKept ? bytes.toString('utf8', from, at) : undefined)
    return at + 1
  }

  #endText(text: string | undefined): void {
    const value = text === undefined || this.#isPlain ? text : parsed(`"${text}"`)
    this.#state = this.#isKey ? 'colon' : 'after'
    if (!this.#isKey) {
      if (value !== undefined) this.#place(value)
      return
    }
    const level = this.#top()
    if ('items' in level) throw notJson()
    level.key = typeof value === 'string' ? value : ''
    // A proxy or a log could read the other one of two.
    if (Object.hasOwn(level.fields, level.key))
      throw new UnreadableJson(`has the field ${level.key} twice`)
  }

  #endBare(): void {
    this.#state = 'after'
    if (!this.#isKept) return
    const value = parsed(this.#keptText() ?? '')
    if (value !== null) this.#place(value)
  }

  /** Most bytes of a large text are passed over here. Returns where what is skipped has ended. */
  #skip(bytes: Uint8Array, from: number): number {
    let [isText, isEscaped, depth] = [this.#isText, this.#isEscaped, this.#depth]
    let at = from
    for (; at < bytes.length && depth > 0; at += 1) {
      const byte = bytes[at]
      if (isText) {
        if (isEscaped) isEscaped = false
        else if (byte === backslash) isEscaped = true
        else if (byte === quote) isText = false
      } else if (byte === quote) isText = true
      else if (byte === braceOpen || byte === bracketOpen) depth += 1
      else if (byte === braceClose || byte === bracketClose) depth -= 1
    }
    this.#isText = isText
    this.#isEscaped = isEscaped
    this.#depth = depth
    if (depth === 0) this.#state = 'after'
    return at
  }
}

function levelOf(wanted: Wanted | undefined, byte: number): Level | undefined {
  if (wanted === undefined || wanted === true) return undefined
  if (isList(wanted)) return byte === bracketOpen ? { items: [], of: wanted[0] } : undefined
  return byte === braceOpen ? { fields: {}, of: wanted, key: '' } : undefined
}

const isList = (wanted: Exclude<Wanted, true>): wanted is readonly [Wanted] => Array.isArray(wanted)

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw notJson()
  }
}

const notJson = () => new NotJson('is not JSON')
