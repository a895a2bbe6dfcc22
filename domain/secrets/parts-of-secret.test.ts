import { describe, expect, test } from 'vitest'
import { partsOfSecret, whyPartsUnmaskable, withParts } from './parts-of-secret.ts'

describe('parts of a sensitive value', () => {
  test('the texts of JSON, without its keys and what is short', () => {
    const value = JSON.stringify({
      username: 'admin',
      'a-long-key-name': 'long-password',
      hosts: ['first.example', { port: 5_432_000_000, path: 'a "quoted" text' }],
    })
    expect(partsOfSecret(value).toSorted()).toEqual([
      'a "quoted" text',
      'first.example',
      'long-password',
    ])
  })

  test('the texts of HCL', () => {
    const value = `{
      user = "admin", password="long-password"
      "quoted-key-name" : "second-password"
      nested = [ "third-\\"password", "fourth-password" ]
    }`
    expect(partsOfSecret(value)).toEqual([
      'long-password',
      'second-password',
      'third-"password',
      'fourth-password',
    ])
  })

  test('the texts of JSON as a parser reads them, also escaped and formatted ones', () => {
    const texts = [
      'a "quoted" text',
      'back\\\\slash\\',
      'line\nline',
      'tab\tand: = colon',
      '\u{1F600}漢字é\u0001 text',
    ]
    const nested = [{ 'another-key': [[texts[0]]], n: [1, 2] }]
    const value = { 'long-key: "name"': texts, nested }
    for (const space of [undefined, 2, '\t'])
      expect(partsOfSecret(JSON.stringify(value, null, space))).toEqual(texts)
  })

  test('none of a plain text, a number or a value that is cut off', () => {
    for (const value of ['long-password', '"long-password"', '123456789', '', '{ a = "never ends'])
      expect(partsOfSecret(value)).toEqual([])
  })

  test('hostile values end: unterminated escapes, deep lists, many texts', () => {
    const quotes = `{${'"\\'.repeat(200_000)}`
    expect(partsOfSecret(quotes)).toHaveLength(0)
    expect(partsOfSecret(`${'['.repeat(100_000)}"long-password"${']'.repeat(100_000)}`)).toEqual([
      'long-password',
    ])
    const many = JSON.stringify(Array.from({ length: 5_000 }, (_, at) => `password-${at}`))
    expect(partsOfSecret(many)).toHaveLength(1_000)
  })

  test('a value with more texts than are masked says so', () => {
    const texts = (count: number) =>
      JSON.stringify(Array.from({ length: count }, (_, at) => `password-${at}`))
    expect(whyPartsUnmaskable(texts(1_000))).toBeUndefined()
    expect(withParts(texts(1_000)).some(({ isIncomplete }) => isIncomplete)).toBe(false)
    expect(whyPartsUnmaskable(texts(1_001))).toContain('more than 1000 texts')
    expect(withParts(texts(1_001))[0]).toEqual({ value: texts(1_001), isIncomplete: true })
    expect(whyPartsUnmaskable(JSON.stringify(['x'.repeat(65_537)]))).toContain('65536 characters')
  })
})
