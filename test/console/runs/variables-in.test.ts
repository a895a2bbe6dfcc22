import { expect, test } from 'vitest'
import { nameField, valueField, variablesIn } from '../../../console/src/runs/variables-in.ts'

const formOf = (...rows: Array<[string, string]>): FormData => {
  const form = new FormData()
  for (const [name, value] of rows) {
    form.append(nameField, name)
    form.append(valueField, value)
  }
  return form
}

test('the values of a run by name, none without a row', () => {
  expect(variablesIn(formOf())).toBeUndefined()
  expect(variablesIn(formOf(['region', 'eu'], ['size', '']))).toEqual({ region: 'eu', size: '' })
})

test('a name that is there twice is refused and named, also with one value', () => {
  const twice = formOf(['region', 'eu'], ['size', '1'], ['region', 'eu'])
  expect(() => variablesIn(twice)).toThrow('The variable region is there twice.')
})
