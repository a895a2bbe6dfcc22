import { expect, test } from 'vitest'
import { rego } from '../../../console/src/editor/rego.ts'
import { tokensOf } from './tokens-of.ts'

const kinds = (text: string) => tokensOf(rego, text)

test('a rule of a policy', () => {
  expect(kinds('deny contains message if {\n  some r in input.plan.changes # all\n}')).toEqual([
    'deny variableName',
    'contains keyword',
    'message variableName',
    'if keyword',
    '{ bracket',
    'some keyword',
    'r variableName',
    'in keyword',
    'input variableName',
    '. punctuation',
    'plan propertyName',
    '. punctuation',
    'changes propertyName',
    '# all comment',
    '} bracket',
  ])
})

test('strings: with an escaped quote, over lines in backquotes, and one that is not closed', () => {
  expect(kinds('a := sprintf("\\"%s", [b])').slice(3, 6)).toEqual([
    'sprintf variableName.function',
    '( bracket',
    '"\\"%s" string',
  ])
  expect(kinds('`a\nif` x')).toEqual(['` string', 'a string', 'if` string', 'x variableName'])
  expect(kinds('"open\nx').at(-1)).toBe('x variableName')
})

test('a keyword after a dot is a name', () => {
  expect(kinds('input.with').at(-1)).toBe('with propertyName')
})
