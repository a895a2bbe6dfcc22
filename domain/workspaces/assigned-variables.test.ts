import { describe, expect, test } from 'vitest'
import { assignedVariables } from './assigned-variables.ts'

const namesIn = (path: string, text: string, folder = '') =>
  [...assignedVariables({ [path]: text }, folder)].toSorted()

test('the files that OpenTofu reads by itself are those of its working folder', () => {
  for (const name of ['terraform.tfvars', 'a.auto.tfvars', '.auto.tfvars']) {
    expect(namesIn(name, 'v = 1\n'), name).toEqual(['v'])
    expect(namesIn(`${name}.json`, '{"v":1}'), name).toEqual(['v'])
    expect(namesIn(`in/it/${name}`, 'v = 1\n', 'in/it'), name).toEqual(['v'])
    expect(namesIn(`in/it/${name}`, 'v = 1\n', 'in'), name).toEqual([])
    expect(namesIn(name, 'v = 1\n', 'in'), name).toEqual([])
  }
  for (const name of ['prod.tfvars', 'xterraform.tfvars', 'auto.tfvars', 'terraform_tfvars'])
    expect(namesIn(name, 'v = 1\n'), name).toEqual([])
})

describe('names of a .tfvars file', () => {
  test.each([
    ['arguments', 'a = 1\n\tb="x"\r\nc = null', ['a', 'b', 'c']],
    ['a byte order mark', '\ufeffa = 1\n', ['a']],
    [
      'names that are not of ASCII, with a dash or with an underscore',
      'é = 1\na-b = 2\n_c = 3\n',
      ['_c', 'a-b', 'é'],
    ],
    ['comments on both sides of a name', '/* x */ a /* = */ /**/ = 1 # b = 2\n// c = 3\n', ['a']],
    ['keys of objects', 'a = { b = 1, c = { d = 2 } }\n', ['a']],
    ['a list over several lines', 'a = [\n  true,\n  false\n]\nb = (\n  1\n)\n', ['a', 'b']],
    ['a comparison', 'a = {} == b ? c : null\n', ['a']],
    ['text', 'a = "b = 1"\nc = "${{ d = 1 } == {}}\\" e = 2"\n', ['a', 'c']],
    ['a heredoc', 'a = <<-E\n  b = 1\n${"}"}\nc = 2\n  E\nd = 3\n', ['a', 'd']],
    ['a loop', 'a = [\n  for\n  b in ["x"] :\n  b\n]\n', ['a']],
    ['no name alone', 'a\nb.c\n', []],
  ])('%s', (_, text, names) => {
    expect(namesIn('terraform.tfvars', text)).toEqual(names)
  })

  test('the time grows with the size of the file alone', () => {
    const worst = ['a/**/'.repeat(200_000), 'a/*'.repeat(300_000), `a${' '.repeat(1_000_000)}`]
    const begun = process.cpuUsage()
    for (const text of worst) namesIn('terraform.tfvars', text)
    expect(process.cpuUsage(begun).user / 1_000).toBeLessThan(4_000)
  })

  test('a file that nests too deeply is refused by its name', () => {
    expect(() => namesIn('terraform.tfvars', 'a = '.concat('{'.repeat(1_002)))).toThrow(
      'terraform.tfvars nests blocks, objects or lists more than 1,000 levels deep',
    )
  })
})

describe('names of a .tfvars.json file', () => {
  test.each([
    ['an escaped name', String.raw`{"\u0072egion": "x", "é": 1}`, ['region', 'é']],
    ['names below', '{"a": {"b": 1}, "c": [{"d": 2}]}', ['a', 'c']],
    ['text', String.raw`{"a": "\"b\": 1"}`, ['a']],
    ['a name of every object', '{"__proto__": 1, "constructor": 2}', ['__proto__', 'constructor']],
    ['what OpenTofu refuses', '[{"a": 1}]', []],
    ['what is no JSON', '{"a": 1,}', []],
  ])('%s', (_, text, names) => {
    expect(namesIn('terraform.tfvars.json', text)).toEqual(names)
  })
})
