import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import { maskSecrets } from '../../../domain/runs/mask-secrets.ts'
import type { LogLine } from '../../../gateways/runner/protocol.ts'
import { readLines } from '../../../gateways/sandbox/read-lines.ts'
import { openLogTail } from '../../../runner/log-tail.ts'
import { openStageLines } from '../../../runner/stage-lines.ts'

// What a program prints is bounded, whatever it prints.
const kept = async (line: string, times: number): Promise<LogLine[]> => {
  const lines: LogLine[] = []
  const log = openStageLines({
    mask: maskSecrets([]),
    send: async (batch) => void lines.push(...batch),
  })
  for (let at = 0; at < times; at += 1) await log.write('info', line)
  await log.close()
  return lines
}

test.each([
  ['empty', '', 400_000],
  ['of one character', 'x', 400_000],
])(
  'lines that are %s cost too: a part is kept, and the rest is counted',
  async (_, line, times) => {
    const lines = await kept(line, times)
    expect(lines.length).toBeLessThan(330_000)
    const notes = lines.filter((one) => one.line.includes('were left out here'))
    expect(notes).toHaveLength(1)
    expect(Number(/… (\d+) lines/.exec(notes[0]?.line ?? '')?.[1]) + lines.length - 1).toBe(times)
  },
)

test('a slow store holds the program back: two batches are on their way at the most', async () => {
  let sent = 0
  let written = 0
  let most = 0
  const log = openStageLines({
    mask: maskSecrets([]),
    async send(batch) {
      await new Promise((done) => setImmediate(done))
      sent += batch.reduce((sum, { line }) => sum + line.length, 0)
    },
  })
  for (let at = 0; at < 2_000; at += 1) {
    written += 1_000
    await log.write('info', 'x'.repeat(1_000))
    most = Math.max(most, written - sent)
  }
  await log.close()
  expect(sent).toBe(written)
  expect(most).toBeLessThan(2 * 33 * 1024)
})

test('a store that does not answer: no more is read than a batch and what the pipe has', async () => {
  let read = 0
  const chunk = Buffer.from(`${'x'.repeat(1_023)}\n`)
  function* printed() {
    for (; read < 64 * 1024 ** 2; read += chunk.length) yield chunk
  }
  let answer = () => {}
  const answered = new Promise<void>((done) => (answer = done))
  const log = openStageLines({ mask: maskSecrets([]), send: async () => answered })
  const reading = readLines(Readable.from(printed()), async (line) => log.write('info', line))
  for (let turn = 0; turn < 1_000; turn += 1) await new Promise((done) => setImmediate(done))
  expect(read).toBeLessThan(64 * 1024)
  answer()
  await reading
  expect(read).toBe(64 * 1024 ** 2)
})

test('lines are the same however the stream is cut', async () => {
  const text = `a\r\n\n\r\nlong ${'y'.repeat(50)}\né\r\r\nlast`
  const whole = Buffer.from(text)
  for (const size of [1, 2, 3, 7, 64, 1_000]) {
    const chunks = Array.from({ length: Math.ceil(whole.length / size) }, (_, at) =>
      whole.subarray(at * size, (at + 1) * size),
    )
    const lines: string[] = []
    await readLines(Readable.from(chunks), (line) => void lines.push(line), 20)
    expect(lines).toEqual(['a', '', '', `long ${'y'.repeat(15)}… [line cut]`, 'é\r', 'last'])
  }
})

test('a tail has its last lines in order, with their levels, in any language', () => {
  const tail = openLogTail({ blocks: 3, blockBytes: 256 })
  const lines = Array.from({ length: 500 }, (_, at): LogLine => ({
    level: at % 2 === 0 ? 'info' : 'error',
    line: `${at} é世🙂`,
  }))
  for (const line of lines) tail.add(line)
  const { lines: dropped } = tail.dropped()
  expect(dropped).toBeGreaterThan(480)
  expect([...tail.take()]).toEqual(lines.slice(dropped))
  expect([tail.dropped().lines, ...tail.take()]).toEqual([0])
})
