import { describe, expect, test } from 'vitest'
import { stripControls } from './strip-controls.ts'
import { findTokens, tokenShapes } from './token-shapes.ts'

const body = 'Ab1'.repeat(14)
const jwt = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJlLTEyMw'

describe('findTokens', () => {
  test.each([
    ['aws', 'AKIAIOSFODNN7EXAMPLE'],
    ['own', `cc_pat_${body}`],
    ['github', `ghp_${body}`],
    ['github-fine', `github_pat_${body}`],
    ['gitlab', `glpat-${body}`],
    ['slack', `xoxb-${body}`],
    ['jwt', jwt],
    ['private-key', '-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----'],
  ])('%s: found in the middle of a text and alone', (name, token) => {
    expect(tokenShapes.map((shape) => shape.name)).toContain(name)
    for (const before of ['', 'a ', '"', 'x=', '-']) {
      const text = `${before}${token}" rest`
      expect(findTokens(text)).toContainEqual({
        start: before.length,
        end: before.length + token.length,
      })
    }
  })

  test('a password in an address, and the address stays', () => {
    const text = 'https://user:hunter22@host/'
    expect(findTokens(text).map(({ start, end }) => text.slice(start, end))).toEqual(['hunter22'])
  })

  test('a web token after other words with dots, and after a dash', () => {
    for (const before of ['a.b.', 'token-', 'x.', 'eyJ-', '....'])
      expect(findTokens(`${before}${jwt}`).at(-1)?.end).toBe(before.length + jwt.length)
    expect(findTokens('eyJ.eyJ.eyJ eyJhbGciOiJIUzI1NiJ9 b.c')).toEqual([])
  })

  test('a private key without its end is found to the end of the text', () => {
    const text = 'x -----BEGIN PRIVATE KEY-----\nMIIE'
    expect(findTokens(text)).toEqual([{ start: 2, end: text.length }])
  })
})

/** For each shape lines that made, or would make, a pattern of it try the same characters again. */
const worst: Record<string, readonly string[]> = {
  aws: ['AKIA', 'AKIA-', 'AKIAAAAAAAAAAAAAAAAAA '],
  own: [
    'cc_pat_',
    'cc_pat_-',
    'cc_pat_aaaaaaaaaaaaaaaaaaaaaaaa_',
    '-cc_pat_aaaaaaaaaaaaaaaaaaaaaa_',
  ],
  github: ['ghp_', 'ghp_-', '-ghp_aaaaaaaaaaaaaaaaaaaaaaaa_'],
  'github-fine': ['github_pat_', 'github_pat_-', '-github_pat_'],
  gitlab: ['glpat-', 'glpat-.', 'glpat-aaaa/'],
  slack: ['xoxb-', 'xoxb-_', 'xoxb-aaaa_'],
  jwt: ['eyJ-', 'eyJ.', 'eyJaaaaaaaaaaaa.', 'eyJaaaaaaaaaaaa.bbb.', '-eyJaaaaaaaaaaaaaa', '.-'],
  'private-key': [
    '-----BEGIN ',
    '-----BEGIN PRIVATE KEY-----',
    '-----BEGIN PRIVATE KEY-----\n-----END ',
    '-----BEGIN PRIVATE KEY-----\n-----END PRIVATE KEY',
    '-----BEGIN PRIVATE PRIVATE PRIVATE ',
    'PRIVATE KEY-----',
  ],
  'url-password': ['://', '://a:', '://a:b', ':', 'a:', '://aaaaaaaaaaaaaaaaaaaaaaaaaaa:'],
}

describe('the worst lines', () => {
  const length = 64 * 1024
  const fill = (part: string) => part.repeat(Math.ceil(length / part.length)).slice(0, length)
  const tails = ['', '@', '-----', '.', '\n']

  test('every shape has some', () => {
    expect(Object.keys(worst).toSorted()).toEqual(tokenShapes.map(({ name }) => name).toSorted())
  })

  // A square in the length is 256 times as much for 16 times the length; 16 is a line.
  test.each(tokenShapes.map((shape) => [shape.name, shape] as const))(
    '%s: 64 Ki characters take no more than 16 times what 4,096 take, but for noise',
    (name, { find }) => {
      for (const part of worst[name] ?? [])
        for (const tail of tails) {
          const long = fill(part) + tail
          const short = long.slice(0, 4_096) + tail
          expectLinear({ short: () => find(short), long: () => find(long) }, part + tail)
          const once = part + 'a'.repeat(length) + tail
          const less = part + 'a'.repeat(4_096) + tail
          expectLinear({ short: () => find(less), long: () => find(once) }, `${part}aaa…${tail}`)
        }
    },
    60_000,
  )

  test('controls: the same', () => {
    for (const part of [
      '\u001b[',
      '\u001b]',
      '\u001b[0',
      '\u001b[ ',
      '\u001b]a',
      '\u0007',
      '\u001b',
    ])
      expectLinear(
        {
          short: () => stripControls(fill(part).slice(0, 4_096)),
          long: () => stripControls(fill(part)),
        },
        part,
      )
  })
})

function expectLinear(work: { short: () => unknown; long: () => unknown }, what: string): void {
  // Too quick to be measured is quick enough: 1 ms for 4,096 characters is a fast linear pass 20 times over.
  const floorMs = 0.2
  const ratio = () => timed(work.long) / Math.max(floorMs, timed(work.short))
  // Other work on the machine only ever adds: the best of several is nearest to what it takes.
  let best = Number.POSITIVE_INFINITY
  for (let round = 0; round < 8 && best > 48; round += 1) best = Math.min(best, ratio())
  expect(best, what).toBeLessThan(48)
}

function timed(work: () => unknown): number {
  return Math.min(
    ...Array.from({ length: 3 }, () => {
      const before = performance.now()
      work()
      return performance.now() - before
    }),
  )
}
