import { expect, test } from 'vitest'
import { startMessageOf } from '../../../console/src/runs/start-message.ts'

const commit = { message: '\nWiden the net\n\nMore' }

test.each([
  [{ message: 'Look' }, 'Look'],
  [{ message: 'Look', commit }, 'Look'],
  [{ message: 'Look', commit: { message: null } }, 'Look'],
  [{ message: null, commit }, null],
  [{}, null],
])('%j', (run, shown) => {
  expect(startMessageOf(run)).toBe(shown)
})

test('what is shown with the commit is not shown twice', () => {
  expect(startMessageOf({ message: 'Widen the net', commit })).toBeNull()
})
