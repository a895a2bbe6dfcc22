import { expect, test } from 'vitest'
import { hasLocalModules } from './local-modules.ts'

const at = (text: string, name = 'main.tf') => hasLocalModules({ [name]: text })
const call = (source: string) => `module "n" {\n  source = ${source}\n}\n`

test('files without modules, and with modules of their own, hold all their code', () => {
  expect(at('resource "null_resource" "a" {}\n# module "n" {}\n')).toBe(true)
  expect(at(call('"./modules/n"'))).toBe(true)
  expect(at('module "n" { source = "./n" }')).toBe(true)
  expect(
    at(`${call('"./a" # ours')}${call('"../shared"').replace('"n"', '"m"')}`, 'a/main.tf'),
  ).toBe(true)
  const providers = 'terraform {\n  required_providers {\n    a = { source = "x/a" }\n  }\n}\n'
  expect(at(providers + call('"./n"'))).toBe(true)
  expect(
    at('module "n" {\n  source = "./n"\n  origin = var.source\n  on = { source = "x" }\n}'),
  ).toBe(true)
  expect(at('x = <<E\nmodule "n" {\n  source = "evil/n/x"\n}\nE\n')).toBe(true)
  expect(hasLocalModules({ 'notes.md': call('"git::https://example.com/a"') })).toBe(true)
})

test.each([
  'var.src',
  '"git::https://example.com/a?ref=main"',
  // A module at a fixed commit can call one that is not fixed.
  `"git::https://example.com/a?ref=${'a'.repeat(40)}"`,
  '"terraform-aws-modules/vpc/aws"',
  '"https://example.com/a.zip"',
  '"./${var.src}"',
  '"%{ if true }./a%{ endif }"',
  '"./\\u0061"',
  '"./a" == "" ? "x" : var.src',
  '<<E\n./a\nE',
  '("./a")',
  '"../out"',
  '"/etc/a"',
])('a module with the source %s can change', (source) => {
  expect(at(call(source))).toBe(false)
})

test('what cannot be read for certain can change', () => {
  expect(at('module "n" {\n  version = "1"\n}\n')).toBe(false)
  expect(at('module "n" {\n  source /**/ = "./n"\n}\n')).toBe(false)
  expect(at('module "n" {\n  source = "./n"\n  source = var.x\n}\n')).toBe(false)
  expect(at('resource "a" "b" { x = <<E\nE\n}\nmodule "n" { source = "x/y/z" }\n')).toBe(false)
  expect(at('{"module":{"n":{"source":"./n"}}}', 'a.tf.json')).toBe(false)
  expect(at('{"\\u006dodule":{"n":{"source":"x/y/z"}}}', 'a.tofu.json')).toBe(false)
  expect(at('{"resource":{}}', 'a.tf.json')).toBe(true)
  expect(hasLocalModules({ 'main.tf': '', 'deep/b.tofu': call('"x/y/z"') })).toBe(false)
})
