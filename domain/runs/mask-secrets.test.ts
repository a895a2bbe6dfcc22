import { describe, expect, test } from 'vitest'
import { shortestSecret } from '../secrets/secret-forms.ts'
import { withParts } from '../secrets/parts-of-secret.ts'
import { MaskError, maskSecrets } from './mask-secrets.ts'
import { whyNotMasked } from './why-not-masked.ts'

const base64 = (text: string) => Buffer.from(text).toString('base64')

describe('maskSecrets', () => {
  const secret = 'p@ss"w<o>rd/&4711'
  const mask = maskSecrets([secret])

  test.each([
    ['as it is', secret],
    ['in JSON', JSON.stringify(secret)],
    ['in JSON as Go writes it', String.raw`"p@ss\"w\u003co\u003erd/\u00264711"`],
    ['in JSON within JSON', JSON.stringify(JSON.stringify(secret))],
    ['in a URL', encodeURIComponent(secret)],
    ['in base64', base64(secret)],
    ['in base64 for URLs', Buffer.from(secret).toString('base64url')],
    ['in base64 after one character', base64(`u${secret}`)],
    ['in base64 after two', base64(`u:${secret}`)],
  ])('%s', (_, text) => {
    const masked = mask(`before ${text} after`)
    expect(masked).toContain('[masked]')
    for (let at = 0; at + 6 <= text.length; at += 1)
      if (!/^[p"'\\]*$/.test(text.slice(at, at + 6)))
        expect(masked.replaceAll('[masked]', ''), text).not.toContain(text.slice(at, at + 6))
  })

  test('in base64 between others, but for the two characters that are shared with them', () => {
    const text = base64(`user:${secret}, and more`)
    expect(mask(text)).toBe(`${base64('user:').slice(0, 6)}p[masked]SwgYW5kIG1vcmU=`)
  })

  test('a secret of several lines: each line, and the whole in one', () => {
    const key = '-----BEGIN KEY-----\r\nMIIEvQIBADANBg\r\n  kqhkiG9w0BAQ\r\n-----END KEY-----'
    const mask = maskSecrets([key])
    expect(mask('say kqhkiG9w0BAQ.')).toBe('say [masked].')
    expect(mask(JSON.stringify(key))).toBe('"[masked]"')
    expect(mask(base64(key)).length).toBeLessThan(12)
  })

  test('secrets that overlap, begin and contain each other leave no rest', () => {
    const mask = maskSecrets(['alpha-beta', 'beta-gamma', 'alpha', 'alpha-beta-gamma-delta'])
    expect(mask('x alpha-beta-gamma y')).toBe('x [masked] y')
    expect(mask('x alpha-beta-gamma-delta y')).toBe('x [masked] y')
    expect(mask('x alpha y')).toBe('x [masked] y')
  })

  test('a secret that the end of a line cuts is masked as far as it is there, at every place', () => {
    const long = Array.from({ length: 500 }, (_, n) => `s${n}`).join('-')
    const mask = maskSecrets([long, 'short-secret'])
    for (const kept of [1, 2, 7, 100, 1_000, long.length - 1])
      for (const after of ['', ' more', 'm'.repeat(10_000)]) {
        const line = `${'.'.repeat(4_096 - kept)}${long}${after}`
        expect(mask(line, 4_096), `${kept}`).toBe(`${'.'.repeat(4_096 - kept)}[masked]`)
      }
    // Longer than what is read beyond the end.
    const key = 'k1-'.repeat(20_000)
    expect(maskSecrets([key])(`${'.'.repeat(4_000)}${key}`, 4_096)).toBe(
      `${'.'.repeat(4_000)}[masked]`,
    )
    expect(mask('short-secret and more', 8)).toBe('[masked]')
    expect(mask('plain text', 5)).toBe('plain')
  })

  test('a token that the end of a line cuts', () => {
    const line = `${'.'.repeat(4_090)} ghp_${'Ab1'.repeat(14)} more`
    expect(maskSecrets([])(line, 4_096)).toBe(`${'.'.repeat(4_090)} [masked]`)
  })

  test('characters of a pattern are no pattern', () => {
    expect(maskSecrets(['a.*(b|c)$', '[x-z]+'])('a.*(b|c)$ abbc [x-z]+ yyy')).toBe(
      '[masked] abbc [masked] yyy',
    )
  })

  test('200 secrets of 5 KB take memory in proportion, and lines go on being quick', () => {
    const secrets = Array.from({ length: 200 }, (_, n) => `${n}-${'v'.repeat(5_000)}${n}`)
    const mask = maskSecrets(secrets)
    expect(mask(`x ${secrets[77]} y`)).toBe('x [masked] y')
    expect(mask('v'.repeat(64 * 1024))).toHaveLength(64 * 1024)
  }, 30_000)

  test('an error of it has a text of its own, and no cause', () => {
    const secrets = Array.from({ length: 20 }, (_, n) => `${n}${'\u0001x'.repeat(60_000)}`)
    let thrown: unknown
    try {
      maskSecrets(secrets)
    } catch (error) {
      thrown = error
    }
    expect(thrown).toBeInstanceOf(MaskError)
    expect(thrown).toMatchObject({ message: 'The masks of a log failed.' })
    expect(thrown).not.toHaveProperty('cause')
  }, 30_000)
})

describe('whyNotMasked', () => {
  test('names the variable, says what to do and never the value', () => {
    expect(shortestSecret).toBe(4)
    expect(whyNotMasked([{ key: 'good', value: 'long-enough' }])).toBeUndefined()
    expect(whyNotMasked([{ key: 'empty', value: '' }])).toBeUndefined()
    for (const value of ['qzx', ' qzx ', 'qz\nx\nqz'])
      expect(whyNotMasked([{ key: 'pin', value }])).toMatch(
        /^The sensitive variable "pin" is shorter than 4 characters.*Give it a longer value/,
      )
    expect(whyNotMasked([{ key: 'pin', value: 'qzx' }])).not.toContain('qzx')
  })

  test('an object or a list with more texts than are masked', () => {
    const value = JSON.stringify(Array.from({ length: 2_000 }, (_, at) => `password-${at}`))
    const message = whyNotMasked(withParts(value).map((part) => ({ key: 'db', ...part })))
    expect(message).toMatch(
      /^The sensitive variable "db" has more than 1000 texts.*Split it into several variables/,
    )
    expect(message).not.toContain('password')
    // A program's own variable is masked as a whole.
    expect(whyNotMasked([{ key: 'SERVICE_CREDENTIALS', value }])).toBeUndefined()
  })

  test('more than may be masked together', () => {
    const many = (value: string) => Array.from({ length: 16 }, () => ({ key: 'k', value }))
    expect(whyNotMasked(many('x'.repeat(65_536)))).toBeUndefined()
    expect(whyNotMasked([...many('x'.repeat(65_536)), ...many('y'.repeat(65_536))])).toContain(
      'take 2097152 bytes together and may take 1048576',
    )
    const controls = Array.from({ length: 8 }, (_, n) => ({
      key: 'k',
      value: `${n}${'\u0001y'.repeat(32_000)}`,
    }))
    expect(
      whyNotMasked([
        ...controls,
        ...controls.map(({ key, value }) => ({ key, value: `z${value}` })),
      ]),
    ).toContain('cannot be masked')
  }, 30_000)
})
