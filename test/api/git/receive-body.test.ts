import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { setImmediate as others } from 'node:timers/promises'
import type { FastifyRequest } from 'fastify'
import { expect, test } from 'vitest'
import { createBodyReceiver } from '../../../api/git/receive-body.ts'
import { createBodyShares } from '../../../api/http/body-shares.ts'

const piece = Buffer.alloc(64 * 1_024)
/** More than may be received without a place. */
const manyPieces = 6 * 16

let connections = 0
/** A sender of so many pieces, which are read one by one, as those of a socket are. It ends when it is told to. */
const sender = (of: { ip?: string; id?: string; pieces?: number; told?: number } = {}) => {
  connections += 1
  const { ip = '10.0.0.1', id = String(connections), pieces = manyPieces, told } = of
  const sent = { left: pieces, mayEnd: false }
  const stream = new Readable({
    highWaterMark: piece.length,
    read() {
      if (sent.left > 0) this.push(piece)
      else if (sent.mayEnd) this.push(null)
      sent.left -= 1
    },
  })
  const end = () => {
    sent.mayEnd = true
    // All of it was read before: nothing else would ask again.
    if (sent.left < 0) stream.push(null)
  }
  // What the receiver reads of a request and of its stream.
  const headers = told === undefined ? {} : { 'content-length': String(told) }
  const request = { headers, params: { id }, ip } as unknown as FastifyRequest
  return { sent, stream, end, request, payload: stream as unknown as IncomingMessage }
}
type Sender = ReturnType<typeof sender>

const opened = () => {
  const receiver = createBodyReceiver(createBodyShares())
  const begin = (from: Sender) => {
    const state = { bytes: 0, refused: '' }
    const received = receiver.receive(from.request, from.payload).then(
      (pieces) => (state.bytes = pieces.reduce((sum, { length }) => sum + length, 0)),
      (error: Error & { code: string }) => (state.refused = error.code),
    )
    return { ...from, state, received }
  }
  /** Until nothing happens any more. */
  const settle = async () => {
    for (let turns = 0; turns < 300; turns += 1) await others()
  }
  return { receiver, begin, settle }
}
/** How many pieces were not asked for. */
const left = ({ sent }: Pick<Sender, 'sent'>) => Math.max(0, sent.left)

test('an address receives two large bodies at once; the next one waits until one of them is over', async () => {
  const { receiver, begin, settle } = opened()
  const [one, two, three, small] = [
    begin(sender()),
    begin(sender()),
    begin(sender()),
    begin(sender({ pieces: 10 })),
  ]
  await settle()
  expect([one, two, three, small].map((each) => left(each) > 0)).toEqual([
    false,
    false,
    true,
    false,
  ])
  // Another address has the other half of the places, and no more.
  const elsewhere = ['10.0.0.2', '10.0.0.2', '10.0.0.3'].map((ip) => begin(sender({ ip })))
  await settle()
  expect(elsewhere.map((each) => left(each) > 0)).toEqual([false, false, true])

  one.end()
  await one.received
  expect(one.state.bytes).toBe(manyPieces * piece.length)
  await settle()
  // Received, and still in memory.
  expect(left(three)).toBeGreaterThan(0)
  receiver.leave(one.request)
  receiver.leave(one.request)
  await settle()
  expect([left(three), left(elsewhere[2] ?? three) > 0]).toEqual([0, true])
})

test('those of one connection and address come one after the other, and of nine that wait one is refused', async () => {
  const { receiver, begin, settle } = opened()
  const told = manyPieces * piece.length
  const all = Array.from({ length: 10 }, () => begin(sender({ id: '7', ip: '10.0.1.1', told })))
  await settle()
  // Who is at another address may be a stranger, and is not held up by these, nor holds them up.
  const elsewhere = begin(sender({ id: '7', ip: '10.0.1.2', told }))
  await settle()
  expect([left(elsewhere), elsewhere.state.refused]).toEqual([0, ''])
  expect(all.map(({ state }) => state.refused)).toEqual([...Array<string>(9).fill(''), 'busy'])
  expect(all.slice(0, 9).map((each) => left(each) > 0)).toEqual([
    false,
    ...Array<boolean>(8).fill(true),
  ])
  // What is left of a refused one is received without being kept.
  expect(all.map(left).at(-1)).toBe(0)
  for (const { request, end, received } of all.slice(0, 9)) {
    end()
    await received
    receiver.leave(request)
  }
  expect(new Set(all.slice(0, 9).map(({ state }) => state.bytes))).toEqual(
    new Set([manyPieces * piece.length]),
  )
})

test('one that leaves while it waits gives its place to the next', async () => {
  const { receiver, begin, settle } = opened()
  const [one, gone, next] = [
    begin(sender({ id: '8' })),
    begin(sender({ id: '8' })),
    begin(sender({ id: '8' })),
  ]
  await settle()
  gone.stream.destroy()
  one.end()
  await one.received
  receiver.leave(one.request)
  await gone.received
  expect(gone.state.bytes).toBe(0)
  receiver.leave(gone.request)
  next.end()
  await next.received
  expect(next.state.bytes).toBe(manyPieces * piece.length)
})

test('body_too_large: by its length before anything is read, else where it passes it', async () => {
  const { begin } = opened()
  const told = sender()
  told.request.headers['content-length'] = String(25 * 1_048_576 + 1)
  const refused = begin(told)
  await refused.received
  expect([refused.state.refused, left(refused)]).toEqual(['body_too_large', manyPieces])
  const chunked = begin(sender({ ip: '10.0.2.1', pieces: 25 * 16 + 1 }))
  await chunked.received
  expect(chunked.state.refused).toBe('body_too_large')
})

test('an address has 16 MiB of bodies of up to 5 MiB that have not arrived yet; the next one is not read until one is over', async () => {
  const { receiver, begin, settle } = opened()
  const told = 5 * 1_048_576 - 1
  const all = Array.from({ length: 4 }, () => begin(sender({ pieces: 79, told })))
  const small = begin(sender({ pieces: 1, told: piece.length }))
  await settle()
  expect(all.map(left)).toEqual([0, 0, 0, 79])
  expect(left(small)).toBe(0)
  const [one, , , last] = all
  one?.end()
  await one?.received
  if (one) receiver.leave(one.request)
  await settle()
  expect(last && left(last)).toBe(0)
})

test('what says that it is larger than 5 MiB waits for its place before any of it is read, and takes no share', async () => {
  const { begin, settle } = opened()
  const told = manyPieces * piece.length
  const large = Array.from({ length: 5 }, () => begin(sender({ told })))
  const usual = begin(sender({ pieces: 70, told: 70 * piece.length }))
  await settle()
  expect(large.map(left)).toEqual([0, 0, manyPieces, manyPieces, manyPieces])
  expect(left(usual)).toBe(0)
})
