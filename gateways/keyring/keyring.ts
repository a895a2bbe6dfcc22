import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  hkdfSync,
  randomBytes,
  type DecipherGCM,
} from 'node:crypto'
import type { Config } from '../../config.ts'
import { unavailable } from '../../domain/errors.ts'

/** Where a sealed value belongs. It is authenticated with the value, so one moved to another column does not open. */
export type SealedPlace = { organizationId: number; table: string; column: string }

export type Keyring = {
  seal(place: SealedPlace, plain: Buffer | string): Buffer
  /** Throws 503 `keyring_unavailable` for an unknown key id, and an error for a tampered value. */
  open(place: SealedPlace, sealed: Buffer): Buffer
  /**
   * Opens a value in pieces, the first of which has its whole envelope. Its output is authenticated only at
   * the end: it throws there if the value was tampered with.
   */
  openPieces(place: SealedPlace, pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer>
  /** A MAC for comparing values without storing them. Its key is derived from the last key of the ring. */
  mac(purpose: string, value: Buffer | string): Buffer
  /** Throws as `open` does where the key is missing. The value's first bytes are enough. */
  assertKnows(sealed: Buffer): void
  /** Whether the key that a value is sealed under is in the ring. */
  knows(sealed: Buffer): boolean
  keyIds(): readonly string[]
}

const version = 1
const tagBytes = 16
/** Encrypted at once. */
const pieceBytes = 1_048_576

/**
 * AES-256-GCM under a ring of keys. Envelope: version (1), length of the key id (1),
 * key id, nonce (12), tag (16), ciphertext. The first key seals, any key opens.
 */
export function createKeyring(keys: Config['keyring']): Keyring {
  const material = new Map(keys.map(({ id, key }) => [id, Buffer.from(key.reveal(), 'base64')]))
  const current = keys[0]
  // The oldest key, which a rotation keeps until everything is sealed again.
  const oldest = keys.at(-1)
  const macKeys = new Map<string, Buffer>()

  const keyOf = (id: string | undefined): Buffer => {
    const key = id === undefined ? undefined : material.get(id)
    if (!key)
      throw unavailable(
        'keyring_unavailable',
        `The key ${id ?? '(none)'} that this needs is not in the keyring. An operator must add it to CC_KEYRING.`,
      )
    return key
  }

  const begin = (place: SealedPlace, sealed: Buffer): { decipher: DecipherGCM; rest: Buffer } => {
    const start = 2 + (sealed[1] ?? 0)
    if (sealed[0] !== version || sealed.length < start + 28)
      throw new Error('a sealed value has an unknown form')
    const key = keyOf(keyIdOf(sealed))
    const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(start, start + 12))
    decipher.setAAD(associatedData(place))
    decipher.setAuthTag(sealed.subarray(start + 12, start + 28))
    return { decipher, rest: sealed.subarray(start + 28) }
  }

  return {
    seal(place, plain) {
      const id = Buffer.from(current?.id ?? '')
      const nonce = randomBytes(12)
      const cipher = createCipheriv('aes-256-gcm', keyOf(current?.id), nonce)
      cipher.setAAD(associatedData(place))
      const bytes = typeof plain === 'string' ? Buffer.from(plain) : plain
      const head = Buffer.concat([Buffer.from([version, id.length]), id, nonce])
      const sealed = Buffer.allocUnsafe(head.length + tagBytes + bytes.length)
      head.copy(sealed)
      const start = head.length + tagBytes
      // By pieces: of ten megabytes there would be three copies at once.
      for (let from = 0; from < bytes.length; from += pieceBytes)
        cipher.update(bytes.subarray(from, from + pieceBytes)).copy(sealed, start + from)
      // GCM has no padding: there is nothing left at the end but the tag.
      cipher.final()
      cipher.getAuthTag().copy(sealed, head.length)
      return sealed
    },

    open(place, sealed) {
      const { decipher, rest } = begin(place, sealed)
      const plain = decipher.update(rest)
      // Throws where the value was tampered with. There is no more of it: GCM has no padding.
      decipher.final()
      return plain
    },

    async *openPieces(place, pieces) {
      let decipher: DecipherGCM | undefined
      for await (const piece of pieces) {
        if (decipher) yield decipher.update(piece)
        else {
          const begun = begin(place, piece)
          decipher = begun.decipher
          yield decipher.update(begun.rest)
        }
      }
      if (!decipher) throw new Error('a sealed value is empty')
      decipher.final()
    },

    mac(purpose, value) {
      let key = macKeys.get(purpose)
      if (!key) {
        const derived = hkdfSync('sha256', keyOf(oldest?.id), '', `cloud-control ${purpose}`, 32)
        key = Buffer.from(derived)
        macKeys.set(purpose, key)
      }
      return createHmac('sha256', key).update(value).digest()
    },

    assertKnows: (sealed) => void keyOf(keyIdOf(sealed)),

    knows: (sealed) => material.has(keyIdOf(sealed)),

    keyIds: () => [...material.keys()],
  }
}

const keyIdOf = (sealed: Buffer): string => sealed.subarray(2, 2 + (sealed[1] ?? 0)).toString()

const associatedData = ({ organizationId, table, column }: SealedPlace): Buffer =>
  Buffer.from(JSON.stringify([organizationId, table, column]))
