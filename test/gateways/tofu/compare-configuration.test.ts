import { createHash } from 'node:crypto'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { compareConfiguration } from '../../../gateways/tofu/plan-file/compare-configuration.ts'
import { readZip } from '../../../gateways/tofu/plan-file/read-zip.ts'
import { planShop } from './plan-shop.ts'
import { zipOf } from './zip-of.ts'

const files = {
  'main.tf': 'module "one" {\n  source = "./m"\n}\nresource "terraform_data" "x" {}\n',
  'm/main.tf': 'module "below" {\n  source = "./below"\n}\n',
  'm/below/main.tf.json': '{"output":{"y":{"value":1}}}',
  // The planning test folder has it.
  'backend_override.tf.json': '{"terraform":{"backend":{"http":{}}}}',
}
const from = {
  root: 'config',
  files: new Map(Object.entries(files).map(([name, text]) => [`config/${name}`, text])),
  modules: new Map<string, string>(),
}
let shop: Awaited<ReturnType<typeof planShop>>
let planFile: Buffer
beforeAll(async () => {
  shop = await planShop(inject('tofuBin'))
  planFile = (await (await shop.place()).plan(files)).planFile
}, 120_000)
afterAll(() => shop?.close())

/** The plan file with these entries in place of its own, or beside them. */
function forged(entries: Readonly<Record<string, string>>): Buffer {
  const own = readZip(planFile)
    .filter(({ name }) => !(name in entries))
    .map(({ name, read }) => ({ name, data: read(1_000_000) }))
  const put = Object.entries(entries).map(([name, text]) => ({ name, data: Buffer.from(text) }))
  return zipOf([...own, ...put])
}

test('a plan that OpenTofu made of these files is accepted', () => {
  expect(() => compareConfiguration(planFile, from)).not.toThrow()
  expect(readZip(planFile).map(({ name }) => name)).toContain('tfconfig/m-one.below/main.tf.json')
})

test.each([
  ['another file of the root', { 'tfconfig/m-/main.tf': `${files['main.tf']}\n# other` }],
  ['another file of a module', { 'tfconfig/m-one.below/main.tf.json': '{}' }],
  ['one more file', { 'tfconfig/m-/more.tf': 'resource "terraform_data" "y" {}' }],
  ['a file of no module', { 'tfconfig/m-two/main.tf': '' }],
  ['a file that is in no module’s folder', { 'tfconfig/main.tf': '' }],
  ['a file below a module', { 'tfconfig/m-/m/main.tf': files['m/main.tf'] }],
  ['a list that is none', { 'tfconfig/modules.json': '{}' }],
  [
    'a module twice in the list',
    { 'tfconfig/modules.json': '[{"Key":"","Dir":"."},{"Key":"","Dir":"m"}]' },
  ],
  ['another root', { 'tfconfig/modules.json': '[{"Key":"","Dir":"m"}]' }],
])('refuses %s', (_, entries) => {
  expect(() => compareConfiguration(forged(entries), from)).toThrow(/do not agree/)
})

test('modules that init fetched are held by what they were before the plan', () => {
  const text = 'output "z" { value = 1 }\n'
  const fetched = forged({
    'tfconfig/m-far/main.tf': text,
    'tfconfig/modules.json': JSON.stringify([
      { Key: '', Dir: '.' },
      { Key: 'one', Source: './m', Dir: 'm' },
      { Key: 'one.below', Source: './below', Dir: 'm/below' },
      { Key: 'far', Source: 'git::https://git.example/far', Dir: '../data/modules/far' },
    ]),
  })
  const digest = createHash('sha256').update(text).digest('hex')
  const modules = new Map([['data/modules/far/main.tf', digest]])
  expect(() => compareConfiguration(fetched, { ...from, modules })).not.toThrow()
  expect(() => compareConfiguration(fetched, from)).toThrow(
    "its main.tf is not the configuration's",
  )
})
