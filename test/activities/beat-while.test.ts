import { MockActivityEnvironment } from '@temporalio/testing'
import { expect, test } from 'vitest'
import { beatWhile } from '../../activities/beat-while.ts'

test('a long scoring sends heartbeats until it ends, well or not', async () => {
  const environment = new MockActivityEnvironment({ attempt: 1 })
  let beats = 0
  const beaten = new Promise<string>((resolve) => {
    environment.on('heartbeat', () => {
      beats += 1
      resolve('scored')
    })
  })
  expect(await environment.run(async () => beatWhile(async () => beaten))).toBe('scored')
  expect(beats).toBe(1)
  const failing = environment.run(async () =>
    beatWhile(async () => {
      throw new Error('failed')
    }),
  )
  await expect(failing).rejects.toThrow('failed')
})
