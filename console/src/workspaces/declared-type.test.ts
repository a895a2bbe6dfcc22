import { expect, test } from 'vitest'
import { declaredType, howToWrite } from './declared-type.ts'

const files = {
  'main.tf': `variable "region" { default = "eu-central-1" }
variable "size" { type = number }
variable "zones" {
  description = "type = nothing"
  type        = list(string) # in this order
}
variable "tags" {
  type = object({
    team = string
  })
}
variable "bare" {}
variable "flag" { type = bool }
variable "pair" { type = tuple([string, number]) }
`,
  'modules/net/main.tf': 'variable "inner" { type = string }\n',
  'notes.md': 'variable "noted" { type = string }\n',
}

test.each([
  ['region', { file: 'main.tf' }],
  ['size', { file: 'main.tf', type: 'number' }],
  ['zones', { file: 'main.tf', type: 'list(string)' }],
  ['tags', { file: 'main.tf', type: 'object(…)' }],
  ['bare', { file: 'main.tf' }],
  ['flag', { file: 'main.tf', type: 'bool' }],
  ['pair', { file: 'main.tf', type: 'tuple([string, number])' }],
  ['inner', undefined],
  ['noted', undefined],
  ['toString', undefined],
])('%s', (name, expected) => {
  expect(declaredType(files, '', name)).toEqual(expected)
})

test('of the folder that OpenTofu runs in', () => {
  expect(declaredType(files, 'modules/net', 'inner')).toEqual({ file: 'main.tf', type: 'string' })
  expect(declaredType(files, 'modules/net', 'size')).toBeUndefined()
})

test('a person reads how the value is written', () => {
  const of = (name: string) => howToWrite(declaredType(files, '', name))
  expect(of('zones')).toBe('main.tf declares list(string): written in HCL, as ["a", "b"].')
  expect(of('tags')).toBe('main.tf declares object(…): written in HCL, as { name = "a" }.')
  expect(of('region')).toMatch(/declares no type for it, so it is a text/)
  expect(of('inner')).toMatch(/by the type that the files declare/)
})
