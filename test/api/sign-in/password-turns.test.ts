import { setImmediate as others } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { inPasswordTurn, passwordsAtOnce } from '../../../api/sign-in/password-turns.ts'

/** Work that ends when it is told to. */
const begin = (ip: string) => {
  const { promise, resolve } = Promise.withResolvers<void>()
  const state = { begun: false }
  const done = inPasswordTurn(ip, async () => {
    state.begun = true
    await promise
  })
  return { state, end: resolve, done }
}
type Work = ReturnType<typeof begin>
const begun = async (all: Work[]) => {
  await others()
  return all.map(({ state }) => state.begun)
}
const endAll = async (all: Work[]) => {
  for (const { end } of all) end()
  await Promise.all(all.map(async ({ done }) => done))
}

test('one of an address is worked on at a time, and two of all', async () => {
  const all = ['10.0.0.1', '10.0.0.1', '10.0.0.2', '10.0.0.3'].map(begin)
  expect(await begun(all)).toEqual([true, false, true, false])
  all[2]?.end()
  expect(await begun(all)).toEqual([true, false, true, true])
  all[0]?.end()
  expect(await begun(all)).toEqual([true, true, true, true])
  await endAll(all)
})

test('429: above eleven of an address, which leaves others their turn; work that fails gives its turn back', async () => {
  const all = Array.from({ length: passwordsAtOnce }, () => begin('10.0.0.4'))
  await expect(inPasswordTurn('10.0.0.4', async () => 'no')).rejects.toMatchObject({
    fault: 'rate_limited',
    code: 'tries_in_flight',
    retryAfterSeconds: 1,
  })
  expect(await inPasswordTurn('10.0.0.5', async () => 'yes')).toBe('yes')
  await endAll(all)
  const failing = inPasswordTurn('10.0.0.4', async () => Promise.reject(new Error('on purpose')))
  await expect(failing).rejects.toThrow('on purpose')
  expect(await inPasswordTurn('10.0.0.4', async () => 'yes')).toBe('yes')
})
