import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import { relayAllowance } from '../../../domain/git/relay-allowance.ts'
import { narrowAnswer, refsSeen } from '../../../gateways/git/narrow-fetch.ts'
import { turnsDuring } from '../../harness/turns-during.ts'

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

test('others have turns while a list of 25,000 refs is narrowed to those that 500 sources name', async () => {
  const sources = Array.from({ length: 500 }, (_, at) => ({
    host: 'git.example',
    repository: 'a/b',
    ref: `v${at}`,
  }))
  const refs = relayAllowance(sources).refsOf('git.example', 'a/b')
  if (!refs) throw new Error('the repository is named')
  const lines = Array.from({ length: 25_000 }, (_, at) =>
    line(`${at.toString(16).padStart(40, '0')} refs/tags/v${at}\n`),
  )
  const seen = refsSeen()
  const { turns, result: narrowed } = await turnsDuring(async () =>
    narrowAnswer(answered(Readable.from([Buffer.from(`${lines.join('')}0000`)])), {
      ...fetching,
      refs,
      seen,
    }),
  )
  expect(turns).toBeGreaterThanOrEqual(20)
  const chunks: Buffer[] = []
  for await (const chunk of narrowed?.body ?? []) chunks.push(Buffer.from(chunk))
  expect(Buffer.concat(chunks).toString()).toBe(`${lines.slice(0, 500).join('')}0000`)
  expect([...(seen.get('git.example/a/b') ?? [])]).toHaveLength(500)
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
