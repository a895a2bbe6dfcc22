import { readZip } from '../../../gateways/tofu/plan-file/read-zip.ts'
import { zipOf } from './zip-of.ts'

/** The plan file with one more variable: a text of at most 31 bytes, as OpenTofu stores it. */
export function withVariable(planFile: Buffer, name: string, value: string): Buffer {
  const type = Buffer.from('"string"')
  const msgpack = Buffer.concat([
    Buffer.from([0x92, 0xc4, type.length]),
    type,
    Buffer.from([0xa0 + value.length]),
    Buffer.from(value),
  ])
  const entry = Buffer.concat([field(1, Buffer.from(name)), field(2, field(1, msgpack))])
  return zipOf(
    readZip(planFile).map(({ name: file, read }) => ({
      name: file,
      data: file === 'tfplan' ? Buffer.concat([read(2 ** 24), field(2, entry)]) : read(2 ** 24),
    })),
  )
}

/** A protobuf field of fewer than 128 bytes. */
const field = (number: number, bytes: Buffer): Buffer =>
  Buffer.concat([Buffer.from([(number << 3) | 2, bytes.length]), bytes])
