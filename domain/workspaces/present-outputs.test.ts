import { expect, test } from 'vitest'
import { createSecretSearch } from '../secrets/secret-search.ts'
import { presentOutputs, presentPublicOutputs } from './present-outputs.ts'
import { splitState, type StateOutput } from './split-state.ts'

const secret = 'correct-horse-battery'
/** The rows of its outputs. */
const state = (parts: object): StateOutput[] => {
  const text = JSON.stringify({ version: 4, lineage: 'l', serial: 1, resources: [], ...parts })
  return [...splitState(Buffer.from(text)).parts]
    .filter(({ kind }) => kind === 'output')
    .flatMap(({ bytes }) => JSON.parse(bytes.toString()))
}
const listOutputs = presentOutputs
const listPublicOutputs = (rows: StateOutput[], secrets: string[]) =>
  presentPublicOutputs(rows, createSecretSearch(secrets))

test('a sensitive value of the workspace is covered in value and type, wherever it is', () => {
  const outputs = {
    equal: { value: secret, type: 'string' },
    key: { value: { [secret]: 1 }, type: ['object', { [secret]: 'number' }] },
    nested: { value: [{ a: `x ${secret}` }], type: ['tuple', []] },
    other: { value: 'plain', type: 'string' },
  }
  const shown = listPublicOutputs(state({ outputs }), [secret])
  expect(JSON.stringify(shown)).not.toContain(secret)
  expect(shown.map(({ name, sensitive }) => [name, sensitive])).toEqual([
    ['equal', true],
    ['key', true],
    ['nested', true],
    ['other', false],
  ])
  expect(listOutputs(state({ outputs }))[0]).toMatchObject({ value: secret, sensitive: false })
})

test('what the state marks as sensitive is covered in outputs that lost the mark', () => {
  const outputs = {
    marked: { value: { pw: 'marked-output-value' }, type: 'string', sensitive: true },
    copy: { value: 'see marked-output-value', type: 'string' },
    attribute: { value: 'an attribute-that-is-marked', type: 'string' },
    element: { value: 'element-of-a-list', type: 'string' },
    port: { value: 'port 543254325', type: 'string' },
  }
  const attributes = {
    pw: 'attribute-that-is-marked',
    list: ['element-of-a-list'],
    port: 543254325,
  }
  const get = (value: string) => ({ type: 'get_attr', value })
  const sensitive_attributes = [
    [get('pw')],
    [get('list'), { type: 'index', value: { type: 'number', value: 0 } }],
    [get('port')],
    [get('absent'), get('deeper')],
    'no path',
  ]
  const resources = [{ instances: [{ attributes, sensitive_attributes }, null] }, null]
  const shown = listPublicOutputs(state({ outputs, resources }), [])
  expect(shown).toEqual([
    { name: 'attribute', type: 'string', value: 'an [masked]', sensitive: true },
    { name: 'copy', type: 'string', value: 'see [masked]', sensitive: true },
    { name: 'element', type: 'string', value: '[masked]', sensitive: true },
    { name: 'marked', type: 'string', value: null, sensitive: true },
    { name: 'port', type: 'string', value: 'port [masked]', sensitive: true },
  ])
})
