import { describe, expect, test } from 'vitest'
import { createCheckAllowance } from '../../../api/manifest/check-allowance.ts'

describe('the time that checks may take', () => {
  const clock = () => {
    let now = 1_000_000
    const allowance = createCheckAllowance(() => now)
    return {
      pass: (ms: number) => void (now += ms),
      check: (organizationId: number, ms: number) =>
        allowance.measure(organizationId, () => void (now += ms)),
    }
  }

  test('3 s a minute, regained evenly', () => {
    const { check, pass } = clock()
    // 5 % of the time of the checks themselves is regained too.
    for (let n = 0; n < 98; n += 1) check(1, 32)
    check(1, 64)
    expect(() => check(1, 32)).toThrow(/too much time/)
    pass(10_000)
    check(1, 32)
    for (let n = 0; n < 1_000; n += 1) {
      pass(640)
      check(1, 32)
    }
  })

  test('says after how many seconds the next is taken', () => {
    const { check, pass } = clock()
    check(1, 4_000)
    let retryAfterSeconds = 0
    try {
      check(1, 1)
    } catch (error) {
      ;({ retryAfterSeconds } = error as { retryAfterSeconds: number })
    }
    expect(retryAfterSeconds).toBe(20)
    pass((retryAfterSeconds - 1) * 1_000)
    expect(() => check(1, 1)).toThrow()
    pass(1_001)
    check(1, 1)
  })

  test('each organization has its own, and a check that throws counts', () => {
    const { check, pass } = clock()
    check(1, 3_100)
    expect(() => check(1, 1)).toThrow()
    check(2, 3_100)
    let now = 0
    const allowance = createCheckAllowance(() => now)
    const fail = () =>
      allowance.measure(1, () => {
        now += 3_500
        throw new Error('broken')
      })
    expect(fail).toThrow('broken')
    expect(fail).toThrow(/too much time/)
    pass(0)
  })

  test('organizations that use nothing are forgotten', () => {
    const { check, pass } = clock()
    for (let organizationId = 0; organizationId < 3_000; organizationId += 1) {
      check(organizationId, 1)
      pass(100)
    }
    check(1, 3_100)
    expect(() => check(1, 1)).toThrow()
  })
})
