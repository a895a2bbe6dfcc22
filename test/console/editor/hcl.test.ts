import { describe, expect, test } from 'vitest'
import { hcl } from '../../../console/src/editor/hcl.ts'
import { tokensOf } from './tokens-of.ts'

const kinds = (text: string) => tokensOf(hcl, text)

describe('the colours of HCL', () => {
  test('a block, its labels and its arguments', () => {
    expect(kinds('resource "aws_vpc" "main" {\n  count = 3\n}')).toEqual([
      'resource keyword',
      '" string',
      'aws_vpc string',
      '" string',
      '" string',
      'main string',
      '" string',
      '{ bracket',
      'count propertyName',
      '= operator',
      '3 number',
      '} bracket',
    ])
  })

  test('an argument that has the name of a block is none', () => {
    expect(kinds('variable = var.region')).toEqual([
      'variable propertyName',
      '= operator',
      'var variableName',
      '. punctuation',
      'region propertyName',
    ])
  })

  test('a reference at the start of a line of a list is no block', () => {
    expect(kinds('a = [\n  one.two,\n]')).toContain('one variableName')
  })

  test('a template in a string, with a string and braces in it; doubled it is text', () => {
    expect(kinds('a = "x ${f({ b = "y}" })} $${z}"')).toEqual([
      'a propertyName',
      '= operator',
      '" string',
      'x  string',
      '${ string.special',
      'f variableName.function',
      '( bracket',
      '{ bracket',
      'b propertyName',
      '= operator',
      '" string',
      'y} string',
      '" string',
      '} bracket',
      ') bracket',
      '} string.special',
      '  string',
      '$${ string',
      'z} string',
      '" string',
    ])
  })

  test('a heredoc ends at its word alone', () => {
    const found = kinds('a = <<-EOT\n  EOT and more\n  ${b}\n  EOT\nc = 1')
    expect(found).toContain('EOT and more string'.replace('EOT', '  EOT'))
    expect(found).toContain('b variableName')
    expect(found.slice(-3)).toEqual(['c propertyName', '= operator', '1 number'])
  })

  test('comments of all kinds, also over lines', () => {
    expect(kinds('# a\n// b\n/* c\nd */ e = true')).toEqual([
      '# a comment',
      '// b comment',
      '/* comment',
      ' c comment',
      'd */ comment',
      'e propertyName',
      '= operator',
      'true bool',
    ])
  })

  test('a quote that is missing spoils its line alone', () => {
    expect(kinds('a = "open\nb = 1').slice(-3)).toEqual([
      'b propertyName',
      '= operator',
      '1 number',
    ])
  })

  test('any text comes to an end: 20,000 random ones', () => {
    const signs = [
      '"',
      '${',
      '%{',
      '}',
      '{',
      '<<A',
      'A',
      '\n',
      '/*',
      '*/',
      '#',
      '\\',
      '$',
      '.',
      ' ',
      '(',
    ]
    let seed = 7
    const next = () => (seed = (seed * 48_271) % 2_147_483_647)
    for (let round = 0; round < 20_000; round += 1) {
      const text = Array.from({ length: 12 }, () => signs[next() % signs.length]).join('')
      expect(() => kinds(text)).not.toThrow()
    }
  })
})
