import { describe, expect, test } from 'vitest'
import { terraformBlocks } from './terraform-blocks.ts'

const typesIn = (path: string, text: string) =>
  terraformBlocks(path, text, ['encryption']).map(({ type, line }) => `${type}:${line}`)
const native = (text: string) => typesIn('main.tf', text)
const json = (text: string) => typesIn('main.tf.json', text)

describe('the native syntax', () => {
  test.each([
    ['plain', 'terraform {\n  encryption {\n  }\n}\n', 'encryption:2'],
    ['a byte order mark', '\ufeffterraform {\n  encryption {}\n}\n', 'encryption:2'],
    ['comments within the header', '/* " */ terraform /* { */ {\n/* } */encryption{}\n}', ''],
    [
      'tabs and Windows newlines',
      'terraform\t{\r\n\tencryption\t{\r\n\t}\r\n}\r\n',
      'encryption:2',
    ],
    [
      'a second terraform block',
      'terraform {\n}\nterraform {\n  encryption {}\n}\n',
      'encryption:4',
    ],
    ['a string that holds a brace', 'a = "}{"\nterraform {\n  encryption {}\n}\n', 'encryption:3'],
    ['an escaped quote', 'a = "\\" # "\nterraform {\n  encryption {}\n}\n', 'encryption:3'],
    ['a string with a comment', 'a = "/*"\nterraform {\n  encryption {}\n}\n', 'encryption:3'],
    ['nested templates', 'a = "${"${"}"}"}"\nterraform {\n  encryption {}\n}\n', 'encryption:3'],
    ['an escaped template', 'a = "$${"\nterraform {\n  encryption {}\n}\n', 'encryption:3'],
    ['three dollars', 'a = "$$${"\nterraform {\n  encryption {}\n}\n', 'encryption:3'],
    ['a directive', 'a = "%{ if "}" == "" }x%{ endif }"\nterraform {\n encryption {}\n}\n', ''],
    ['a heredoc', 'a = <<EOT\n"${"\nEOT\nterraform {\n  encryption {}\n}\n', undefined],
    ['a heredoc with a quote', 'a = <<EOT\n" /*\n  EOT \nterraform {\n encryption {}\n}\n', ''],
    ['a heredoc in a template', 'a = "${<<E-T\n}\nE-T\n}"\nterraform {\n encryption {}\n}\n', ''],
    ['a comment that a newline ends', '# /*\nterraform {\n  encryption {}\n}\n', 'encryption:3'],
    ['an object before it', 'terraform {\n  a = { b = 1 }\n  encryption {}\n}\n', 'encryption:3'],
  ])('finds a block after %s', (_, text, found) => {
    // `undefined`: the template has no end, and OpenTofu refuses the file.
    if (found === undefined) expect(native(text)).toEqual([])
    else expect(native(text).join()).toContain(found || 'encryption:')
  })

  test.each([
    ['a comment', '# terraform {\n# encryption {}\n# }\n/*\nterraform {\nencryption {}\n}\n*/\n'],
    ['a string', 'a = "terraform { encryption {} }"\n'],
    ['a heredoc', 'a = <<EOT\nterraform {\n  encryption {}\n}\nEOT\n'],
    ['another block', 'resource "aws_s3_bucket" "terraform" {\n  encryption {}\n}\n'],
    ['a module of that name', 'module terraform {\n  encryption = true\n}\n'],
    ['a block below', 'terraform {\n  backend "s3" {\n    encryption = true\n  }\n}\n'],
  ])('finds no encryption in %s', (_, text) => {
    expect(native(text)).toEqual([])
  })
})

describe('the JSON syntax', () => {
  test.each([
    ['plain', '{"terraform": {\n"encryption": {}}}', 'encryption:2'],
    ['an escaped name', String.raw`{"terra\u0066orm": {"encr\u0079ption": {}}}`, 'encryption:1'],
    [
      'a property that stands twice',
      '{"terraform":{"encryption":{}},"terraform":{}}',
      'encryption:1',
    ],
    ['lists of blocks', '[{"terraform":[{}, {"encryption":[{}]}]}]', 'encryption:1'],
    ['a byte order mark', '\ufeff{"terraform":{"encryption":{}}}', 'encryption:1'],
    ['a string with an escaped quote', String.raw`{"a":"\"}","terraform":{"encryption":{}}}`, ''],
    ['a comment property', '{"//":{"a":[1,{}]},"terraform":{"encryption":{}}}', 'encryption:1'],
  ])('finds a block with %s', (_, text, found) => {
    expect(json(text).join()).toContain(found || 'encryption:')
  })

  test.each([
    ['a value', '{"a":"terraform","b":{"encryption":{}}}'],
    ['a level below', '{"resource":{"terraform":{"encryption":{}}}}'],
    ['a block of terraform', '{"terraform":{"backend":{"s3":{"encryption":true}}}}'],
    ['text', '{"a":"{\\"terraform\\":{\\"encryption\\":{}}}"}'],
  ])('finds none in %s', (_, text) => {
    expect(json(text)).toEqual([])
  })
})

test('the time grows with the size of the file alone', () => {
  const worst = [
    `terraform {\n${'a = <<EOT\n'.repeat(50_000)}}`,
    `terraform {}\na = <<EOT\n${`${' '.repeat(9_000)}x\n`.repeat(100)}EOT\n`,
    `terraform {}\n${'<<a'.repeat(300_000)}`,
    `terraform {}\n${'/*'.repeat(400_000)}`,
  ]
  // Of this process alone: a busy machine takes longer for the same work.
  const begun = process.cpuUsage()
  for (const text of worst) terraformBlocks('a.tf', `${text}\n# encryption`, ['encryption'])
  const list = `{"terraform":[${'["a"],'.repeat(200_000)}"encryption"`
  terraformBlocks('a.tf.json', list, ['encryption'])
  expect(process.cpuUsage(begun).user / 1_000).toBeLessThan(4_000)
})

test.each([
  ['blocks', 'a.tf', '{'.repeat(10_000_000)],
  ['templates', 'a.tf', '"${'.repeat(300_000)],
  ['lists', 'a.tf.json', '['.repeat(10_000_000)],
  ['a thousand levels and one', 'a.tf', `${'{'.repeat(1_001)}${'}'.repeat(1_001)}`],
])('refuses a file that nests %s without end', (_, path, deep) => {
  const text = path.endsWith('.json')
    ? `{"terraform":"encryption","deep":${deep}`
    : `# terraform encryption\n${deep}`
  expect(() => terraformBlocks(path, text, ['encryption'])).toThrow(
    `${path} nests blocks, objects or lists more than 1,000 levels deep`,
  )
})

test('reads a thousand levels', () => {
  const text = `# terraform encryption\na = ${'{'.repeat(999)}${'}'.repeat(999)}\n`
  expect(terraformBlocks('a.tf', text, ['encryption'])).toEqual([])
})
