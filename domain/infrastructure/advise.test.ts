import { expect, test } from 'vitest'
import { advise } from './advise.ts'

test('a missing variable: where to set it, and no command line', () => {
  const error =
    'No value for required variable (on main.tf line 1, column 1): The root module input variable "region" is not set, and has no default value. Use a -var or -var-file command line argument to provide a value for this variable.'
  expect(advise(error)).toBe(
    'No value for required variable (on main.tf line 1, column 1): The root module input variable "region" is not set, and has no default value. Set it under Variables of the workspace, or as a variable of the run.',
  )
})

test('whatever else OpenTofu says stays as it is', () => {
  expect(advise('Invalid block definition (on main.tf line 3, column 1)')).toBe(
    'Invalid block definition (on main.tf line 3, column 1)',
  )
})
