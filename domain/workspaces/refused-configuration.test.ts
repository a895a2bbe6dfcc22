import { expect, test } from 'vitest'
import { overriddenIn, refusalInWords, refusedIn } from './refused-configuration.ts'

const encryption = 'terraform {\n  encryption {\n  }\n}\n'

test.each(['main.tf', 'main.tofu', 'x_override.tf', 'override.tofu', 'modules/a/b.tf'])(
  'an encryption block in %s is refused, with its line',
  (name) => {
    const [refused, ...more] = refusedIn({ 'ok.tf': '#', [name]: encryption })
    expect(refused).toMatchObject({ path: `files["${name}"]`, line: 2 })
    expect(more).toEqual([])
    expect(refused && refusalInWords(refused)).toContain(`"${name}": line 2: an encryption block`)
  },
)

test.each(['main.tf.json', 'main.tofu.json', 'x_override.tf.json', 'override.tofu.json'])(
  'and in %s',
  (name) => {
    expect(refusedIn({ [name]: '{"terraform":\n{"encryption":{}}}' })).toMatchObject([{ line: 2 }])
  },
)

test.each([
  'terraform.d/plugins/registry.opentofu.org/a/b/1.0.0/linux_amd64/terraform-provider-b',
  'env/terraform.d/plugins/x',
  '.terraform/providers/x',
  'sub/.terraform/modules/modules.json',
  '.tofurc',
  '.terraformrc',
  'a/my.tofurc',
])('%s is refused by its name', (name) => {
  expect(refusedIn({ 'main.tf': '#', [name]: '' })).toMatchObject([{ path: `files["${name}"]` }])
})

test('other files are let be, whatever they say', () => {
  const files = { 'README.md': encryption, 'terraform.d/notes': '', 'a.tfvars': encryption }
  expect(refusedIn(files)).toEqual([])
})

test('backend and cloud blocks are named, of the folder that OpenTofu works in', () => {
  const text = 'terraform {\n  backend "s3" {}\n}\n'
  const files = { 'a/main.tf': text, 'a/x.tf.json': '{"terraform":{"cloud":{}}}', 'main.tf': text }
  expect(overriddenIn(files, 'a')).toEqual([
    { file: 'a/main.tf', type: 'backend', line: 2 },
    { file: 'a/x.tf.json', type: 'cloud', line: 1 },
  ])
})
