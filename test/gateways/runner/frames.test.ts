import { expect, test } from 'vitest'
import {
  BadFrame,
  encodeHead,
  maxBodyBytes,
  maxHeaderBytes,
  readFrames,
} from '../../../gateways/runner/frames.ts'

async function read(chunks: Buffer[]) {
  const frames = []
  for await (const frame of readFrames(
    (async function* () {
      yield* chunks
    })(),
  ))
    frames.push({ header: frame.header, body: frame.body.toString() })
  return frames
}

const two = Buffer.concat([
  encodeHead({ kind: 'log', lines: ['ä'] }),
  encodeHead({ kind: 'blob', name: 'plan' }, Buffer.from('bytes')),
  Buffer.from('bytes'),
])
const told = [
  { header: { kind: 'log', lines: ['ä'] }, body: '' },
  { header: { kind: 'blob', name: 'plan' }, body: 'bytes' },
]

test('frames are complete however the stream is split', async () => {
  expect(await read([two])).toEqual(told)
  expect(await read([...two].map((byte) => Buffer.from([byte])))).toEqual(told)
  for (let at = 1; at < two.length; at += 1)
    expect(await read([two.subarray(0, at), two.subarray(at)])).toEqual(told)
})

test('a frame above the limit is refused after its first eight bytes, before it is in memory', async () => {
  for (const [header, body] of [
    [maxHeaderBytes + 1, 0],
    [2, maxBodyBytes + 1],
    [0xffffffff, 0xffffffff],
  ] as const) {
    const prefix = Buffer.alloc(8)
    prefix.writeUInt32BE(header, 0)
    prefix.writeUInt32BE(body, 4)
    await expect(read([prefix])).rejects.toThrow(BadFrame)
  }
  const long = 'x'.repeat(maxHeaderBytes)
  expect(() => encodeHead({ kind: long })).toThrow(BadFrame)
})

test.each(['[]', 'null', '7', '{"kind":7}', '{', '{"other":"x"}'])(
  'the header %s is refused, and its text is not in the error',
  async (json) => {
    const prefix = Buffer.alloc(8)
    prefix.writeUInt32BE(json.length, 0)
    const error = await read([prefix, Buffer.from(json)]).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(BadFrame)
    expect(String(error)).not.toContain(json)
  },
)

test('a stream that ends within a frame is refused', async () => {
  await expect(read([two.subarray(0, -1)])).rejects.toThrow(BadFrame)
})
