import { expect, test } from 'vitest'
import { requestWindow } from './request-window.ts'

const minute = 60_000
const start = 1_000 * minute

function admitted(window: ReturnType<typeof requestWindow>, times: number, atMs: number): number {
  let count = 0
  for (let i = 0; i < times; i += 1) if (window.take('a', 10, atMs).allowed) count += 1
  return count
}

test('exactly the limit is let in, and each is told what is left', () => {
  const window = requestWindow()
  const left = Array.from({ length: 10 }, () => window.take('a', 10, start).remaining)
  expect(left).toEqual([9, 8, 7, 6, 5, 4, 3, 2, 1, 0])
  expect(window.take('a', 10, start)).toMatchObject({ allowed: false, remaining: 0 })
  expect(window.take('b', 10, start).allowed).toBe(true)
})

test('the turn of a minute doubles nothing', () => {
  const window = requestWindow()
  expect(admitted(window, 20, start + minute - 1)).toBe(10)
  expect(admitted(window, 20, start + minute)).toBe(0)
  expect(admitted(window, 20, start + minute + 30_000)).toBe(5)
  expect(admitted(window, 20, start + 3 * minute)).toBe(10)
})

test('who waits as long as told is let in, and not a second earlier', () => {
  for (const [spent, atMs] of [
    [10, start],
    [10, start + 59_000],
    [10, start + 20_500],
  ] as const) {
    const window = requestWindow()
    admitted(window, spent, atMs)
    const { retryAfterSeconds } = window.take('a', 10, atMs)
    expect(window.take('a', 10, atMs + (retryAfterSeconds - 1) * 1_000).allowed).toBe(false)
    expect(window.take('a', 10, atMs + retryAfterSeconds * 1_000).allowed).toBe(true)
  }
})

test('what others have counted holds here; what is not told yet is not forgotten', () => {
  const window = requestWindow()
  admitted(window, 3, start)
  const [told] = window.tell(() => 1)
  expect(told).toEqual({ subject: 'a', minute: 1_000, count: 3 })
  expect(window.tell(() => 1)).toEqual([])
  admitted(window, 1, start)
  window.learn('a', 1_000, 8)
  expect(admitted(window, 10, start)).toBe(1)
})

test('what has not come far is not told', () => {
  const window = requestWindow()
  admitted(window, 3, start)
  expect(window.tell(() => 4)).toEqual([])
})

test('a flood of subjects shares one count', () => {
  const window = requestWindow({ maxSubjects: 2 })
  for (const subject of ['a', 'b', 'c', 'd', 'e']) window.take(subject, 10, start)
  expect(window.take('f', 10, start).remaining).toBe(6)
  expect(window.take('a', 10, start).remaining).toBe(8)
})
