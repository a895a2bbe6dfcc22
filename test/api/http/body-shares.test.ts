import { setImmediate as others } from 'node:timers/promises'
import type { FastifyRequest } from 'fastify'
import { expect, test } from 'vitest'
import { createBodyShares } from '../../../api/http/body-shares.ts'
import type { AppError } from '../../../domain/errors.ts'

const mebibyte = 1_048_576
const most = 5 * mebibyte

/** What is read of a request and of its body. */
const asked = (ip: string, headers: Record<string, string>) =>
  ({ ip, headers }) as unknown as FastifyRequest

const opened = (limits: Parameters<typeof createBodyShares>[0] = {}) => {
  const shares = createBodyShares(limits)
  /** Without a length the body is chunked. */
  const begin = (ip: string, bytes?: number) => {
    const headers: Record<string, string> =
      bytes === undefined ? { 'transfer-encoding': 'chunked' } : { 'content-length': `${bytes}` }
    const request = asked(ip, headers)
    const payload = { destroyed: false }
    const state = { outcome: 'waits' }
    void shares.take(request, payload, most).then(
      () => (state.outcome = 'taken'),
      (error: AppError) => (state.outcome = error.code),
    )
    return { request, payload, state, leave: () => shares.leave(request) }
  }
  return { begin }
}
const outcomes = async (all: Array<ReturnType<ReturnType<typeof opened>['begin']>>) => {
  await others()
  return all.map(({ state }) => state.outcome)
}

test('an address has 16 MiB; what fits goes first, and small bodies need no share', async () => {
  const { begin } = opened()
  const [first, ...rest] = [most, most, most, most, mebibyte].map((n) => begin('10.0.0.1', n))
  const small = Array.from({ length: 100 }, () => begin('10.0.0.1', 64 * 1_024))
  if (!first) throw new Error('none began')
  expect(await outcomes([first, ...rest])).toEqual(['taken', 'taken', 'taken', 'waits', 'taken'])
  expect(new Set(await outcomes(small))).toEqual(new Set(['taken']))
  first.leave()
  first.leave()
  const next = begin('10.0.0.1', mebibyte)
  expect(await outcomes([...rest, next])).toEqual(['taken', 'taken', 'taken', 'taken', 'waits'])
})

test('all have 64 MiB, of which the second half is for addresses that have nothing', async () => {
  const { begin } = opened()
  const half = ['10.0.1.1', '10.0.1.2'].flatMap((ip) => [most, most, most].map((n) => begin(ip, n)))
  const more = [3, 4, 5, 6, 7, 8].map((n) => begin(`10.0.1.${n}`, most))
  const [second, late] = [begin('10.0.1.3', most), begin('10.0.1.9', most)]
  expect(new Set(await outcomes([...half, ...more]))).toEqual(new Set(['taken']))
  expect(await outcomes([second, late])).toEqual(['waits', 'waits'])
  half[0]?.leave()
  expect(await outcomes([second, late])).toEqual(['waits', 'taken'])
})

test('a chunked body counts as the largest; one that says more than the largest counts as that', async () => {
  const { begin } = opened({ ofAddressBytes: 2 * most })
  const all = [begin('10.0.2.1'), begin('10.0.2.1', 100 * mebibyte), begin('10.0.2.1', mebibyte)]
  expect(await outcomes(all)).toEqual(['taken', 'taken', 'waits'])
})

test('busy: where too many of an address wait, or of all', async () => {
  const { begin } = opened({ ofAddressBytes: most, ofAddressWaiting: 2, waiting: 3 })
  const one = Array.from({ length: 4 }, () => begin('10.0.3.1'))
  expect(await outcomes(one)).toEqual(['taken', 'waits', 'waits', 'busy'])
  const other = Array.from({ length: 3 }, () => begin('10.0.3.2'))
  expect(await outcomes(other)).toEqual(['taken', 'waits', 'busy'])
})

test('a sender who left while waiting keeps no share', async () => {
  const { begin } = opened({ ofAddressBytes: most })
  const [first, gone, next] = [begin('10.0.4.1'), begin('10.0.4.1'), begin('10.0.4.1')]
  gone.payload.destroyed = true
  first.leave()
  expect(await outcomes([gone, next])).toEqual(['incomplete_body', 'taken'])
})
