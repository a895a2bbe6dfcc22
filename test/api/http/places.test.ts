import { expect, test } from 'vitest'
import { createPlaces } from '../../../api/http/places.ts'

test('work keeps its place until it ends, also where it fails', async () => {
  const places = createPlaces({ ofOrganization: 1 })
  const { promise, resolve } = Promise.withResolvers<number>()
  const first = places.run(1, async () => promise)
  expect(places.run(1, async () => 0)).toBe(undefined)
  expect(await places.run(2, async () => 2)).toBe(2)
  resolve(1)
  expect(await first).toBe(1)

  const failing = places.run(1, async () => Promise.reject(new Error('on purpose')))
  await expect(failing).rejects.toThrow('on purpose')
  expect(await places.run(1, async () => 3)).toBe(3)
})
