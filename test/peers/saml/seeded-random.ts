import { checkPrimeSync, createPrivateKey, type KeyObject } from 'node:crypto'

export type Random = {
  /** From 0, below `end`. */
  below: (end: number) => number
  chance: (share: number) => boolean
  pick: <T>(from: readonly T[]) => T
  hex: (digits: number) => string
}

/** The same numbers for the same seed (mulberry32), so that what failed once can be made to fail again. */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000
  }
  const below = (end: number) => Math.floor(next() * end)
  return {
    below,
    chance: (share) => next() < share,
    pick(from) {
      const found = from[below(from.length)]
      if (found === undefined) throw new Error('nothing to pick from')
      return found
    },
    hex: (digits) => Array.from({ length: digits }, () => below(16).toString(16)).join(''),
  }
}

const exponent = 65_537n

/** An RSA key of 2,048 bits that a seed makes, for tests alone: anybody can make it again. */
export function seededKey(random: Random): KeyObject {
  const [p, q] = [seededPrime(random), seededPrime(random)]
  const d = inverse(exponent, (p - 1n) * (q - 1n))
  return createPrivateKey({
    format: 'jwk',
    key: {
      kty: 'RSA',
      n: base64(p * q),
      e: base64(exponent),
      d: base64(d),
      p: base64(p),
      q: base64(q),
      dp: base64(d % (p - 1n)),
      dq: base64(d % (q - 1n)),
      qi: base64(inverse(q, p)),
    },
  })
}

/** Of 1,024 bits, the two highest set, so that a product of two has 2,048. */
function seededPrime(random: Random): bigint {
  for (;;) {
    const candidate = BigInt(`0xc${random.hex(254)}1`)
    if (candidate % exponent !== 1n && checkPrimeSync(candidate)) return candidate
  }
}

function inverse(value: bigint, modulus: bigint): bigint {
  let [a, b] = [modulus, value % modulus]
  let [x, y] = [0n, 1n]
  while (b > 0n) {
    const times = a / b
    ;[a, b] = [b, a - times * b]
    ;[x, y] = [y, x - times * y]
  }
  return ((x % modulus) + modulus) % modulus
}

function base64(value: bigint): string {
  const hex = value.toString(16)
  return Buffer.from(hex.length % 2 ? `0${hex}` : hex, 'hex').toString('base64url')
}
