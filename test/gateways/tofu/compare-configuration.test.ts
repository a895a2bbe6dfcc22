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
  // OpenTofu reads the first of these two, and none of the others.
  'm/more.tofu': 'locals { a = 1 }\n',
  'm/more.tf': 'locals { a = 2 }\n',
  'm/.hidden.tf': 'locals { a = 3 }\n',
  'm/backup.tf~': 'locals { a = 4 }\n',
  'm/one.tftest.hcl': 'run "one" {}\n',
  'uncalled/main.tf': 'locals { a = 5 }\n',
  'zz_override.tf': 'resource "terraform_data" "x" { input = 1 }\n',
  // The planning test folder has it.
  'backend_override.tf.json': '{"terraform":{"backend":{"http":{}}}}',
}
const from = {
  root: 'config',
  files: new Map(Object.entries(files).map(([name, text]) => [`config/${name}`, text])),
  modules: new Map<string, string>(),
  installed: JSON.stringify({
    Modules: [
      { Key: '', Source: '', Dir: '.' },
      { Key: 'one', Source: './m', Dir: 'm' },
      { Key: 'one.below', Source: './below', Dir: 'm/below' },
    ],
  }),
}
let shop: Awaited<ReturnType<typeof planShop>>
let planFile: Buffer
beforeAll(async () => {
  shop = await planShop(inject('tofuBin'))
  planFile = (await (await shop.place()).plan(files)).planFile
}, 120_000)
afterAll(() => shop?.close())

/** The plan file with these entries in place of its own, beside them, or (null) left out. */
function forged(entries: Readonly<Record<string, string | null>>, genuine = planFile): Buffer {
  const own = readZip(genuine)
    .filter(({ name }) => !(name in entries))
    .map(({ name, read }) => ({ name, data: read(1_000_000) }))
  const put = Object.entries(entries).flatMap(([name, text]) =>
    text === null ? [] : [{ name, data: Buffer.from(text) }],
  )
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
  [
    'a spelling of a field that Go takes for the field',
    {
      'tfconfig/modules.json':
        '[{"Key":"","Dir":"."},{"Key":"one","Source":"./m","Dir":"m","dir":"m/below"},{"Key":"one.below","Source":"./below","Dir":"m/below"}]',
    },
  ],
  [
    'an entry of the list that is no module, which Go takes for the root',
    {
      'tfconfig/modules.json':
        '[{"Key":"","Dir":"."},{"Key":"one","Dir":"m"},{"Key":"one.below","Dir":"m/below"},null]',
    },
  ],
  ['another root', { 'tfconfig/modules.json': '[{"Key":"","Dir":"m"}]' }],
  ['no override of the root', { 'tfconfig/m-/zz_override.tf': null }],
  ['a module without one of its files', { 'tfconfig/m-one/more.tofu': null }],
  [
    'a module in the folder of another',
    {
      'tfconfig/m-one/main.tf': null,
      'tfconfig/m-one/more.tofu': null,
      'tfconfig/m-one/main.tf.json': files['m/below/main.tf.json'],
      'tfconfig/modules.json':
        '[{"Key":"","Dir":"."},{"Key":"one","Dir":"m/below"},{"Key":"one.below","Dir":"m/below"}]',
    },
  ],
])('refuses %s', (_, entries) => {
  expect(() => compareConfiguration(forged(entries), from)).toThrow(/do not agree/)
})

// OpenTofu 1.12 reads the files of a folder from the copy of any one of its calls.
test('each call of a module has all files of its folder', async () => {
  const called = {
    'main.tf': 'module "one" {\n  source = "./m"\n}\nmodule "two" {\n  source = "./m"\n}\n',
    'm/main.tf': 'resource "terraform_data" "x" {}\n',
    'm/override.tf': 'resource "terraform_data" "x" {\n  input = 1\n}\n',
    'backend_override.tf.json': files['backend_override.tf.json'],
  }
  const plan = (await (await shop.place()).plan(called)).planFile
  const made = {
    root: 'config',
    files: new Map(Object.entries(called).map(([name, text]) => [`config/${name}`, text])),
    modules: new Map<string, string>(),
    installed: JSON.stringify({
      Modules: ['', 'one', 'two'].map((Key) => ({ Key, Source: '', Dir: Key === '' ? '.' : 'm' })),
    }),
  }
  expect(() => compareConfiguration(plan, made)).not.toThrow()
  for (const key of ['one', 'two'])
    expect(() =>
      compareConfiguration(forged({ [`tfconfig/m-${key}/override.tf`]: null }, plan), made),
    ).toThrow('it lacks override.tf')
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
  const { Modules } = JSON.parse(from.installed)
  const far = { Key: 'far', Source: 'git::https://git.example/far', Dir: '../data/modules/far' }
  const installed = JSON.stringify({ Modules: [...Modules, far] })
  expect(() => compareConfiguration(fetched, { ...from, modules, installed })).not.toThrow()
  expect(() => compareConfiguration(fetched, { ...from, installed })).toThrow(
    "its main.tf is not the configuration's",
  )
  const more = new Map([...modules, ['data/modules/far/more.tf', digest]])
  expect(() => compareConfiguration(fetched, { ...from, modules: more, installed })).toThrow(
    'it lacks more.tf',
  )
})
