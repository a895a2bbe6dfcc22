import { describe, expect, test } from 'vitest'
import {
  maxOutputValueBytes,
  splitState,
  type SplitOptions,
  type StateOutput,
  type StateResource,
} from './split-state.ts'

const stateOf = (fields: Record<string, unknown>) =>
  JSON.stringify({ version: 4, serial: 1, lineage: 'one', ...fields })
const split = (text: string, options: SplitOptions = {}) => {
  const { header, parts } = splitState(Buffer.from(text), options)
  const all = [...parts]
  const rowsOf = (kind: string) =>
    all.filter((part) => part.kind === kind).flatMap(({ bytes }) => JSON.parse(bytes.toString()))
  return {
    header,
    all,
    body: Buffer.concat(all.filter(({ kind }) => kind === 'piece').map(({ bytes }) => bytes)),
    resources: rowsOf('resource') as StateResource[],
    outputs: rowsOf('output') as StateOutput[],
  }
}
/** Its text: JSON.stringify itself would overflow. */
const deep = (levels: number) => '['.repeat(levels) + ']'.repeat(levels)

describe('splitState', () => {
  test('keeps every byte, and of resources and outputs what a reader asks for', () => {
    const text = `${stateOf({
      outputs: { b: { value: 'shown', type: 'string' }, a: { value: 1, sensitive: 'odd' } },
      resources: [
        { type: 't', name: 'one', provider: 'p', instances: [{ index_key: 10 }, { index_key: 2 }] },
        { mode: 'data', type: 't', name: 'd', module: 'module.m', instances: [{}] },
        {
          type: 't',
          name: 'two',
          instances: [{ index_key: 'a"b', deposed: 'x', attributes: { s: 'secret' } }],
        },
      ],
    })}\n`
    const { header, body, resources, outputs } = split(text)
    expect(body.toString()).toBe(text)
    expect(header).toMatchObject({
      lineage: 'one',
      serial: 1,
      sizeBytes: Buffer.byteLength(text),
      managedResources: 3,
      omittedResources: 0,
      omittedOutputs: 0,
    })
    expect(resources.map(({ address }) => address)).toEqual([
      'module.m.data.t.d',
      't.one[2]',
      't.one[10]',
      String.raw`t.two["a\"b"] (deposed x)`,
    ])
    expect(JSON.stringify(resources)).not.toContain('secret')
    expect(outputs).toEqual([
      { name: 'a', sensitive: true, type: null, value: 1 },
      { name: 'b', sensitive: false, type: 'string', value: 'shown' },
    ])
  })

  test('values nested 200,000 deep overflow no stack, wherever they are', () => {
    const nested = `{"value":${deep(200_000)},"type":${deep(200_000)}}`
    const text = stateOf({
      outputs: { deep: 'HERE', fine: { value: [[1]], type: 'x' } },
      resources: [{ type: 't', name: 'n', instances: [{ index_key: 'KEY', attributes: 'HERE' }] }],
    })
      .replaceAll('"HERE"', nested)
      .replace('"KEY"', deep(200_000))
    const { outputs, resources, body } = split(text)
    expect(outputs).toEqual([
      { name: 'deep', sensitive: false, type: null, value: null, omitted: 'too_deep' },
      { name: 'fine', sensitive: false, type: 'x', value: [[1]] },
    ])
    expect(resources.map(({ address }) => address)).toEqual(['t.n'])
    expect(body.toString()).toBe(text)
  })

  test('large values, many outputs and many resources are cut, and it says so', () => {
    const large = { value: 'x'.repeat(maxOutputValueBytes) }
    const outputs = Object.fromEntries(
      Array.from({ length: 5_010 }, (_, n) => [
        `o${n}`,
        n === 0 ? large : { value: 'y'.repeat(2_000) },
      ]),
    )
    const instances = Array.from({ length: 60_000 }, () => ({}))
    const resources = [{ type: 't'.repeat(9_000), name: 'n', instances }]
    const found = split(stateOf({ outputs, resources }))
    expect(found.outputs).toHaveLength(5_000)
    expect(found.header.omittedOutputs).toBe(10)
    expect(found.outputs[0]).toMatchObject({ name: 'o0', value: null, omitted: 'too_large' })
    expect(found.outputs.at(-1)).toMatchObject({ value: null, omitted: 'too_large' })
    expect(found.header.managedResources).toBe(60_000)
    expect(found.resources.length + found.header.omittedResources).toBe(60_000)
    expect(found.resources[0]?.type).toHaveLength(1_001)
    for (const { bytes } of found.all) expect(bytes.length).toBeLessThanOrEqual(256 * 1_024)
  })

  test('what is no state is refused, and kept as it came where it is the only trace', () => {
    expect(() => split('{"version":4,')).toThrow('The state is not JSON.')
    const kept = split('{"version":4,', { keepUnreadable: true })
    expect(kept.body.toString()).toBe('{"version":4,')
    expect(kept.header).toMatchObject({ lineage: 'unknown', serial: 0, managedResources: 0 })
  })

  test('another serial changes the bytes of the serial alone', () => {
    const text =
      '{"version":4, "serial": 7,"lineage":"one","outputs":{"n":{"value":12345678901234567890}}}'
    const { header, body } = split(text, { serial: 9 })
    expect(body.toString()).toBe(text.replace('7', '9'))
    expect(header.serial).toBe(9)
  })

  test('another lineage goes with it; a mark that cannot be exchanged is refused', () => {
    const text = '{"version":4,"serial":9007199254740991,"lineage":"one","x":{"lineage":"one"}}'
    const { header, body } = split(text, { serial: 1, lineage: 'two' })
    expect(header).toMatchObject({ serial: 1, lineage: 'two' })
    expect(body.toString()).toBe('{"version":4,"serial":1,"lineage":"two","x":{"lineage":"one"}}')
    expect(
      split(stateOf({}).replace('"serial":1', '"serial":1e3'), { serial: 2 }).header.serial,
    ).toBe(2)
    // Readers take the last of two names, and this one is not seen by who looks for the plain one.
    for (const twin of [String.raw`"seri\u0061l":9007199254740991`, String.raw`"line\u0061ge":"x"`])
      expect(() => split(text.replace(/}$/, `,${twin}}`), { serial: 1, lineage: 'two' })).toThrow(
        'in a form that OpenTofu does not write',
      )
  })

  test('with more secrets than are searched for, no row of a held resource is kept', () => {
    const attributes = { arn: 'arn:aws:s3:::logs-of-one', id: 'logs-of-one' }
    const bucket = { mode: 'managed', type: 'aws_s3_bucket', name: 'a', provider: 'p' }
    const resources = [{ ...bucket, instances: [{ attributes }] }]
    const heldWith = (options: SplitOptions) =>
      split(stateOf({ resources }), options).all.filter(({ kind }) => kind === 'held').length
    expect(heldWith({ secrets: ['another-secret'] })).toBe(1)
    expect(heldWith({ secrets: ['another-secret'], secretsIncomplete: true })).toBe(0)
    const many = Array.from({ length: 5_000 }, (_, n) => `another-secret-${n}-of-many`)
    expect(heldWith({ secrets: many })).toBe(0)
  })
})
