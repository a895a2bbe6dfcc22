import { describe, expect, test, vi } from 'vitest'
import { relayAllowance, type AllowedRefs } from './relay-allowance.ts'
import * as uploadPack from './upload-pack.ts'
import { wantsOf } from './upload-pack.ts'

const line = (text: string) => (text.length + 4).toString(16).padStart(4, '0') + text
const body = (...lines: string[]) => Buffer.from(lines.join(''), 'latin1')
const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((digit) => digit.repeat(40))
/** All parts of the work, one after the other. */
function inParts(answer: Buffer, allowed: AllowedRefs) {
  const work = uploadPack.onlyAllowed(answer, allowed)
  for (let parts = 1; ; parts += 1) {
    const { done, value } = work.next()
    if (done) return { narrowed: value, parts }
  }
}
const onlyAllowed = (answer: Buffer, allowed: AllowedRefs) => inParts(answer, allowed).narrowed
const refs = { has: (name: string) => name === 'refs/tags/v1', hasCommit: () => false }

describe('what git asks for', () => {
  test('objects and refs of version 2, and of version 0', () => {
    expect(
      wantsOf(
        body(
          line('command=fetch\n'),
          '0001',
          line(`want ${a}\n`),
          line('want-ref refs/heads/x\n'),
          line('done\n'),
          '0000',
        ),
      ),
    ).toEqual({ command: 'fetch', objects: [a], refs: ['refs/heads/x'] })
    expect(
      wantsOf(
        body(line(`want ${a} multi_ack ofs-delta\n`), line(`want ${b}\n`), '0000', line('done\n')),
      ),
    ).toEqual({ command: 'fetch', objects: [a, b], refs: [] })
    expect(wantsOf(body(line('command=ls-refs\n'), '0001', line('peel\n'), '0000'))).toEqual({
      command: 'ls-refs',
      objects: [],
      refs: [],
    })
  })

  test.each([
    ['an id that is none', body(line('want HEAD\n'))],
    ['capital digits', body(line(`want ${'A'.repeat(40)}\n`))],
    ['two spaces', body(line(`want  ${'a'.repeat(40)}\n`))],
    ['another command', body(line('command=object-info\n'), '0000')],
    ['a length past the end', body('00ff')],
    ['a length that is none', body('0003')],
    ['no lines', Buffer.from('{}')],
    ['50,001 lines', body('0000'.repeat(50_001))],
  ])('what cannot be told for sure is nothing: %s', (_what, text) => {
    expect(wantsOf(text)).toBeUndefined()
  })
})

describe('what git is told of', () => {
  test('version 2: HEAD, its branch and the named refs', () => {
    const answer = body(
      line(`${a} HEAD symref-target:refs/heads/main\n`),
      line(`${a} refs/heads/main\n`),
      line(`${b} refs/heads/secret\n`),
      line(`${c} refs/tags/v1 peeled:${d}\n`),
      '0000',
    )
    const { body: narrowed, objects } = onlyAllowed(answer, refs) ?? { body: '', objects: [] }
    expect(String(narrowed)).toBe(
      String(
        body(
          line(`${a} HEAD\n`),
          line(`${a} refs/heads/main\n`),
          line(`${c} refs/tags/v1\n`),
          '0000',
        ),
      )
        .replace(line(`${a} HEAD\n`), line(`${a} HEAD symref-target:refs/heads/main\n`))
        .replace(line(`${c} refs/tags/v1\n`), line(`${c} refs/tags/v1 peeled:${d}\n`)),
    )
    expect(objects).toEqual([a, a, c, d])
  })

  test('version 0: its abilities stay with the first that is left', () => {
    const answer = body(
      line('# service=git-upload-pack\n'),
      '0000',
      line(`${b} refs/heads/aaa\0multi_ack symref=HEAD:refs/heads/main agent=git/2\n`),
      line(`${a} refs/heads/main\n`),
      line(`${c} refs/tags/v1\n`),
      line(`${d} refs/tags/v1^{}\n`),
      '0000',
    )
    const narrowed = onlyAllowed(answer, refs)
    expect(String(narrowed?.body)).not.toContain('refs/heads/aaa')
    expect(String(narrowed?.body)).toContain(`${a} refs/heads/main\0multi_ack symref=HEAD`)
    expect(narrowed?.objects).toEqual([a, c, d])
  })

  test('version 2’s greeting names no ref and passes', () => {
    const greeting = body(
      line('# service=git-upload-pack\n'),
      '0000',
      line('version 2\n'),
      line('ls-refs\n'),
      '0000',
    )
    expect(onlyAllowed(greeting, refs)).toEqual({ body: greeting, objects: [] })
  })

  test('a line feed within a line does not take its ref past the filter', () => {
    const answer = body(line(`${a} HEAD\n`), line(`${b} refs/heads/secret x\ny`), '0000')
    expect(String(onlyAllowed(answer, refs)?.body)).toBe(`${line(`${a} HEAD\n`)}0000`)
  })

  test('50,000 lines are read, 50,001 are not', () => {
    const list = (count: number) => body(line(`${a} HEAD\n`), '0000'.repeat(count))
    expect(onlyAllowed(list(49_999), refs)?.objects).toEqual([a])
    expect(onlyAllowed(list(50_000), refs)).toBeUndefined()
  })

  test('many names of HEAD are not gone through for each ref', () => {
    const head = line(`${a} HEAD\0${' symref=HEAD:refs/heads/main'.repeat(100)}\n`)
    const answer = body(head, line(`${b} refs/x\n`).repeat(1_000), line(`${c} refs/heads/main\n`))
    const includes = vi.spyOn(Array.prototype, 'includes')
    const narrowed = onlyAllowed(answer, refs)
    const calls = includes.mock.calls.length
    includes.mockRestore()
    expect(narrowed?.objects).toEqual([a, c])
    expect(calls).toBeLessThan(100)
  })

  test('a list of 25,000 refs is narrowed in parts, to those of 500 that are named', () => {
    const named = Array.from({ length: 500 }, (_, at) => `v${at * 10}`)
    const allowed = relayAllowance(
      named.map((ref) => ({ host: 'h', repository: 'a/b', ref })),
    ).refsOf('h', 'a/b')
    if (!allowed) throw new Error('the repository is named')
    const idOf = (at: number) => at.toString(16).padStart(40, '0')
    const head = line(`${a} HEAD symref-target:refs/heads/main\n`)
    const listed = Array.from({ length: 25_000 }, (_, at) => line(`${idOf(at)} refs/tags/v${at}\n`))
    const { narrowed, parts } = inParts(body(head, ...listed, '0000'), allowed)
    const kept = listed.filter((_, at) => at % 10 === 0 && at < 5_000)
    expect(narrowed?.body.equals(body(head, ...kept, '0000'))).toBe(true)
    expect(narrowed?.objects).toEqual([a, ...named.map((ref) => idOf(Number(ref.slice(1))))])
    expect(parts).toBeGreaterThanOrEqual(20)
  })

  test('a part has few long lines', () => {
    const long = line(`${b} refs/${'x'.repeat(60_000)}\n`)
    const { parts } = inParts(body(line(`${a} HEAD\n`), long.repeat(32)), refs)
    expect(parts).toBeGreaterThanOrEqual(12)
  })

  test('what is no list, and a list of which nothing is left, is nothing', () => {
    expect(onlyAllowed(Buffer.from('<html>'), refs)).toBeUndefined()
    const none = body(line(`${b} refs/heads/x\0caps\n`), '0000')
    expect(onlyAllowed(none, refs)).toBeUndefined()
  })
})
