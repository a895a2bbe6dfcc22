import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import { narrowAnswer, refsSeen } from '../../../gateways/git/narrow-fetch.ts'

const fetching = {
  // Only the method is looked at.
  request: { method: 'GET', headers: {} } as IncomingMessage,
  body: Buffer.alloc(0),
  asked: { capability: 'x', host: 'git.example', repository: 'a/b', path: '/a/b' },
  refs: { has: () => true, hasCommit: () => false },
}
const answered = (body: Readable) => ({ status: 200, headers: {}, body })
const line = (text: string) => (text.length + 4).toString(16).padStart(4, '0') + text

test('a list of refs of more than 2 MiB is not read to its end', async () => {
  let pieces = 0
  function* endless() {
    for (; pieces < 1_024; pieces += 1) yield Buffer.from('0000'.repeat(16_384))
  }
  const body = Readable.from(endless(), { objectMode: true, highWaterMark: 1 })
  expect(await narrowAnswer(answered(body), { ...fetching, seen: refsSeen() })).toBeUndefined()
  expect(pieces).toBeLessThan(50)
  expect(body.destroyed).toBe(true)
})

test('a host that names other ids each time is not read on', async () => {
  const seen = refsSeen()
  const list = async (from: number) => {
    const lines = Array.from({ length: 30_000 }, (_, n) =>
      line(`${(from + n).toString(16).padStart(40, '0')} refs/${n}\n`),
    )
    return narrowAnswer(answered(Readable.from([Buffer.from(lines.join(''))])), {
      ...fetching,
      seen,
    })
  }
  for (const from of [0, 0, 30_000, 60_000, 90_000]) expect(await list(from)).toBeDefined()
  expect(await list(120_000)).toBeUndefined()
}, 60_000)
