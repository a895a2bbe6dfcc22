import { createHmac } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { markerState, markerText, type Ownership } from './owner-marker.ts'

const signWith = (key: string) => (text: string) =>
  createHmac('sha256', key).update(text).digest('hex')
const verifyWith = (key: string) => (text: string, signature: string) =>
  signWith(key)(text) === signature
const owner: Ownership = {
  organization: 'a0000000-0000-4000-8000-000000000000',
  host: 'github.com',
  repository: '42',
  branch: 'main',
  connection: 7,
}
const state = (text: string | null, asked: Partial<Ownership> = {}) =>
  markerState(text, { ...owner, ...asked }, verifyWith('key'))

describe('the owner marker', () => {
  test('none, and our own', () => {
    expect(state(null)).toBe('absent')
    expect(state(markerText(owner, signWith('key')))).toBe('ours')
  })

  test('another installation’s, and what cannot be read, is respected', () => {
    expect(state(markerText(owner, signWith('other key')))).toBe('foreign')
    for (const text of ['', '{', 'null', '[]', '{"version":1}', '{"version":2}'])
      expect(state(text)).toBe('foreign')
  })

  test('one changed field breaks the signature', () => {
    const text = markerText(owner, signWith('key'))
    for (const [from, to] of [
      ['"42"', '"43"'],
      ['"main"', '"dev"'],
      ['"github.com"', '"gitlab.com"'],
      [': 7', ': 8'],
      ['a0000000', 'b0000000'],
    ] as const)
      expect(state(text.replace(from, to))).toBe('foreign')
  })

  test('a copy in a fork or on another branch is no claim there', () => {
    const text = markerText(owner, signWith('key'))
    expect(state(text, { repository: '43' })).toBe('stale')
    expect(state(text, { branch: 'dev' })).toBe('stale')
    expect(state(text, { connection: 8 })).toBe('stale')
  })

  test('another organization’s under another name of the host is a claim', () => {
    const text = markerText(owner, signWith('key'))
    const other = { organization: 'b0000000-0000-4000-8000-000000000000' }
    expect(state(text, other)).toBe('stale')
    expect(state(text, { ...other, host: '10.0.0.1' })).toBe('foreign')
  })
})
