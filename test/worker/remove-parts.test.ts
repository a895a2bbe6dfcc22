import { expect, test } from 'vitest'
import { removePartsTask } from '../../worker/tasks/remove-parts.ts'

test('a store that does not answer keeps no other one full, and the task fails', async () => {
  const removed: string[] = []
  const store = (name: string) => ({
    removeParts: async () => {
      if (name === 'away') throw new Error('does not answer')
      return removed.push(name)
    },
  })
  const task = removePartsTask([store('away'), store('folder'), store('caches')])
  await expect(task.run()).rejects.toThrow('does not answer')
  expect(removed).toEqual(['folder', 'caches'])
  expect(await removePartsTask([store('folder')]).run()).toBe('done')
})
