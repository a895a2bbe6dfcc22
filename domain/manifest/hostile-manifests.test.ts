import { describe, expect, test } from 'vitest'
import { build } from '../../test/harness/manifest/bad-manifest.ts'
import { goodManifests } from '../../test/harness/manifest/good-manifests.ts'
import { seededRandom } from '../../test/peers/saml/seeded-random.ts'
import { checkManifest } from './check-manifest.ts'
import type { ManifestFault } from './manifest-fault.ts'
import { manifestLimits } from './manifest-limits.ts'

const many = (text: string, length = manifestLimits.bytes - 1_000) =>
  text.repeat(Math.floor(length / text.length))
const keys = (count: number) => Array.from({ length: count }, (_, at) => `k${at}: 1`)
const bomb = (levels: number) =>
  [
    'version: 1',
    'a0: &a0 [x, x, x, x, x, x, x, x, x]',
    ...Array.from(
      { length: levels },
      (_, at) => `a${at + 1}: &a${at + 1} [${Array(9).fill(`*a${at}`).join(', ')}]`,
    ),
  ].join('\n')

/** Each takes seconds, or all memory, of a reader without limits. */
const hostile: Record<string, string> = {
  'an alias bomb': bomb(30),
  'a bomb of objects': bomb(30).replaceAll(
    /\[(.*)\]/g,
    (_, list: string) =>
      `{ ${list
        .split(', ')
        .map((item, at) => `k${at}: ${item}`)
        .join(', ')} }`,
  ),
  '10,000 keys': `${build}deploy: { ${keys(10_000).join(', ')} }\n`,
  '900 keys, one a line': `${build}${keys(900).join('\n')}\n`,
  '2,000 unknown keys': `${build}deploy: {${Array.from({ length: 2_000 }, (_, at) => `hooksx${at}: 1`).join(',')}}\n`,
  'as many keys as the limit of tokens lets in': `{${Array.from({ length: 5_000 }, (_, at) => `k${at}`).join(',')}}`,
  'one key 5,000 times': `{${Array(5_000).fill('a').join(',')}}`,
  '3,000 anchors': `[${Array.from({ length: 3_000 }, (_, at) => `&a${at} 1`).join(',')}]`,
  '7,000 aliases': `[&a 1,${many('*a,', 21_000)}]`,
  'a list of 3,000 secrets': build.replace(
    'artifact',
    `secrets: [${Array.from({ length: 3_000 }, (_, at) => `A${at}`).join(',')}]\n  artifact`,
  ),
  brackets: many('['),
  braces: many('{a: '),
  dashes: many('- '),
  'question marks': many('? '),
  commas: `[${many(',')}]`,
  colons: many(': '),
  'tags and nothing': many('! '),
  'anchors and nothing': many('&a '),
  quotes: many('"'),
  texts: many('"a" '),
  'closing brackets': many(']'),
  directives: '%A\n'.repeat(900),
  documents: '---\n'.repeat(900),
  spaces: many(' '),
  tabs: many('\t'),
  'one long word': many('a'),
  'one long number': `version: ${many('1')}`,
  'a long number that is none': `version: ${many('1')}x`,
  'a long path': build.replace('dist', many('a/')),
  'a long path of dots': build.replace('dist', many('../')),
  'a long address': `${build}deploy: { health: { probe: { url: "https://${many('a?')}" } } }`,
  'a long label': `${build}deploy: { agents: { labels: { a: "${many('a-')}_" } } }`,
  'a long strategy': `${build}deploy: { strategy: "${many('a -_')}" }`,
  'a folded text': `${build}deploy: >\n${` ${'x '.repeat(120)}\n`.repeat(900)}`,
  'a text of escapes': `"${many('\\x41')}"`,
  'more than 256 KiB': many('a', 1_000_000),
  '256 KiB of letters of three bytes': `# ${many('€', manifestLimits.bytes / 2)}`,
}

describe('hostile manifests', () => {
  test.each(Object.entries(hostile))('%s: refused, within a fraction of a second', (_, text) => {
    let best = Number.POSITIVE_INFINITY
    // Other work on the machine only ever adds: the best of several is nearest to what it takes.
    for (let round = 0; round < 3; round += 1) {
      const since = process.cpuUsage()
      const { manifest, errors } = checkManifest(text)
      const { user, system } = process.cpuUsage(since)
      best = Math.min(best, (user + system) / 1_000)
      expect(manifest).toBeUndefined()
      expect(errors.length).toBeGreaterThan(0)
      expect(errors.length).toBeLessThanOrEqual(manifestLimits.faults)
      expect(JSON.stringify(errors).length).toBeLessThan(64 * 1024)
    }
    expect(best).toBeLessThan(400)
  })

  test('an alias bomb is refused where it passes the limit', () => {
    expect(checkManifest(bomb(30)).errors).toEqual([
      {
        line: 6,
        column: expect.any(Number),
        path: '',
        message:
          'a manifest has at most 10000 values, each use of an alias counted in full: remove some',
      },
    ])
  })

  test('the stack of errors is as long afterwards as before', () => {
    const before = Error.stackTraceLimit
    Error.stackTraceLimit = 17
    checkManifest('[,,,')
    const after = Error.stackTraceLimit
    Error.stackTraceLimit = before
    expect(after).toBe(17)
  })
})

describe('texts by chance', () => {
  const signs = [
    ...'[]{},:-?&*!|>\'"%@`#\n\n\n\t   ab1'.split(''),
    ': ',
    '- ',
    '&a ',
    '*a',
    '\r\n',
    '\u0000',
    '😀',
  ]
  const whole = goodManifests.find(({ name }) => name === 'every key')?.yaml ?? ''

  test('2,000 changed manifests: an answer, and faults inside of the text', () => {
    const { below, pick } = seededRandom(20_261_123)
    let [accepted, refused] = [0, 0]
    const wrong: string[] = []
    for (let round = 0; round < 2_000; round += 1) {
      let text = whole
      for (let change = 0; change <= below(3); change += 1) {
        const at = below(text.length)
        text = text.slice(0, at) + pick(signs) + text.slice(at + below(4))
      }
      const { manifest, errors, warnings } = checkManifest(text)
      if (manifest) accepted += 1
      else refused += 1
      const lines = text.split('\n')
      const isOutside = ({ line, column, message }: ManifestFault) =>
        Math.min(line, column) < 1 ||
        column > (lines[line - 1] ?? '').length + 1 ||
        /undefined|\[object|\n/.test(message)
      if ((manifest === undefined) !== errors.length > 0) wrong.push(text)
      if ([...errors, ...warnings].some(isOutside)) wrong.push(text)
    }
    expect(wrong).toEqual([])
    expect(accepted).toBeGreaterThan(50)
    expect(refused).toBeGreaterThan(500)
  })
})
