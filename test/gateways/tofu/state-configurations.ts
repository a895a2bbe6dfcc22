import type { PlanStep } from './plan-configurations.ts'

const main = (text: string): Record<string, string> => ({ 'main.tf': text })

const kept = `resource "terraform_data" "kept" {
  input = { port = 22, big = 123456789012345678901234567890, none = null, secret = sensitive("s") }
}
resource "terraform_data" "many" {
  count = 2
  input = toset(["b", "a", "value", "type"])
}
`
const gone = 'resource "terraform_data" "gone" {\n  input = { value = "x", type = "string" }\n}\n'
const made = 'resource "terraform_data" "made" {}\n'

const deposed = (more: string) =>
  main(
    `resource "terraform_data" "a" {\n lifecycle {\n create_before_destroy = true\n }\n ${more}\n}\n`,
  )

const imported = `import {
  to = terraform_data.a
  id = "an-id"
}
resource "terraform_data" "a" {
  input = "x"
}
${kept}`

const moduleOf = (keys: string) => ({
  'main.tf': `module "m" {\n  source = "./m"\n  for_each = toset([${keys}])\n}\n`,
  'm/main.tf': `${kept}output "id" {\n  value = terraform_data.kept.id\n}\n`,
})

/** Plans that begin from a state, of built-in resources. */
export const states: Readonly<Record<string, PlanStep[]>> = {
  'kept and deleted': [
    { files: main(kept + gone), apply: true },
    { files: main(kept + made) },
    { files: main(kept + gone), args: ['-destroy'] },
  ],
  tainted: [
    {
      files: main(
        'resource "terraform_data" "a" {\n provisioner "local-exec" {\n command = "false"\n }\n}\n',
      ),
      apply: true,
    },
    { files: main('resource "terraform_data" "a" {}\n') },
    {
      files: main(
        'resource "terraform_data" "b" {\n input = timestamp()\n}\nresource "terraform_data" "a" {\n lifecycle {\n replace_triggered_by = [terraform_data.b]\n }\n}\n',
      ),
    },
    { files: main(kept) },
    { files: main(''), args: ['-destroy'] },
  ],
  deposed: [
    { files: deposed('triggers_replace = 1'), apply: true },
    {
      files: deposed(
        'triggers_replace = 2\nprovisioner "local-exec" {\n command = "false"\n }\nprovisioner "local-exec" {\n when = destroy\n command = "true"\n }',
      ),
      apply: true,
    },
    { files: deposed('triggers_replace = 2') },
    { files: deposed(''), args: ['-destroy'] },
    { files: main('') },
    {
      files: main(
        'removed {\n from = terraform_data.a\n lifecycle {\n destroy = false\n }\n}\nresource "terraform_data" "b" {}\n',
      ),
    },
  ],
  'destroy = false': [
    {
      files: main('resource "terraform_data" "a" {\n lifecycle {\n destroy = false\n }\n}\n'),
      apply: true,
    },
    {
      files: main(
        'resource "terraform_data" "a" {\n triggers_replace = 1\n lifecycle {\n destroy = false\n }\n}\n',
      ),
    },
    { files: main(kept) },
    { files: main(kept), args: ['-destroy'] },
  ],
  imported: [
    { files: main(imported) },
    { files: main(imported), args: ['-destroy'] },
    { files: main(imported), apply: true },
    { files: main(imported) },
    { files: main(imported), args: ['-destroy'] },
  ],
  'modules that go': [
    { files: moduleOf('"a b", "c[\\"d\\"]"'), apply: true },
    { files: moduleOf('"a b"') },
    { files: main('') },
    {
      files: {
        ...moduleOf('"a b"'),
        'moved.tf': 'moved {\n  from = module.m["c[\\"d\\"]"]\n  to = module.m["a c"]\n}\n',
      },
    },
  ],
  'count and for_each': [
    { files: main(kept), apply: true },
    { files: main(kept.replace('count = 2', 'count = 1')) },
    { files: main(kept.replace('count = 2', 'for_each = toset(["0", "1"])')) },
    {
      files: main(
        `${kept.replace('count = 2', 'for_each = toset(["x"])')}moved {\n from = terraform_data.many[1]\n to = terraform_data.many["x"]\n}\n`,
      ),
    },
    { files: main(kept.replace('count = 2', 'lifecycle {\n enabled = false\n }')) },
  ],
}

const ofProviders = (text: string): Record<string, string> =>
  main(`terraform {
  required_providers {
    local  = { source = "hashicorp/local" }
    simple = { source = "hashicorp/simple" }
  }
}
provider "simple" {
  alias = "test"
}
provider "simple" {
  alias = "prod"
}
provider "simple" {
  alias    = "by"
  for_each = toset(["a b", "c"])
}
${text}`)

const inAlias = (alias: string) =>
  `resource "simple_resource" "kept" {\n  provider = simple.${alias}\n  value = "x"\n}\n`
/** With a provider that a module's block passes, or the one that it inherits. */
const inModule = (passed: string) => ({
  ...ofProviders(`module "m" {
  source = "./m"
  providers = {
    ${passed}
  }
}
`),
  'm/main.tf': `terraform {
  required_providers {
    simple = { source = "hashicorp/simple" }
  }
}
resource "simple_resource" "inner" {
  value = "x"
}
`,
})
const byKey = (keys: string) =>
  `resource "simple_resource" "by" {\n  for_each = toset([${keys}])\n  provider = simple.by[each.key]\n}\n`
const goneInAlias = 'resource "simple_resource" "gone" {\n  provider = simple.test\n}\n'
const many = (alias: string, count: number) =>
  `resource "simple_resource" "many" {
  count    = ${count}
  provider = simple.${alias}
  value    = "x"
  lifecycle {
    create_before_destroy = true
    replace_triggered_by  = [terraform_data.trigger]
  }
}
resource "terraform_data" "trigger" {
  input = "a"
}
`
const failing = 'provisioner "local-exec" {\n    command = "false"\n  }'
const note = 'resource "local_file" "note" {\n  filename = "out.txt"\n  content = "x"\n}\n'
const spoiled = `${note}resource "terraform_data" "spoil" {
  depends_on = [local_file.note]
  provisioner "local-exec" {
    command = "rm out.txt"
  }
}
`

/** The same of providers that are separate programs. */
export const providerStates: Readonly<Record<string, PlanStep[]>> = {
  aliases: [
    { files: ofProviders(inAlias('test') + goneInAlias + byKey('"a b", "c"')), apply: true },
    { files: ofProviders(inAlias('test') + byKey('"a b"')) },
    { files: ofProviders(inAlias('prod') + byKey('"c"')), apply: true },
    { files: ofProviders(inAlias('prod') + byKey('"c"')) },
    { files: ofProviders(''), args: ['-destroy'] },
    { files: ofProviders('') },
  ],
  'another alias for some of a resource': [
    { files: ofProviders(many('test', 3)), apply: true },
    { files: ofProviders(many('prod', 1)) },
    { files: ofProviders(many('prod', 1)), args: ['-destroy'] },
    {
      files: ofProviders(
        many('test', 3).replace('"a"', '"b"').replace('count    = 3', `count    = 3\n  ${failing}`),
      ),
      apply: true,
    },
    { files: ofProviders(many('prod', 3)) },
    { files: ofProviders(many('prod', 1)) },
    { files: ofProviders(many('prod', 1)), args: ['-destroy'] },
    { files: ofProviders('') },
    { files: ofProviders(''), args: ['-destroy'] },
  ],
  'another alias by a module or a key': [
    { files: inModule('simple = simple.test'), apply: true },
    { files: inModule('simple = simple.prod') },
    { files: inModule(''), apply: true },
    { files: inModule('simple = simple.by["c"]') },
    { files: inModule(''), args: ['-destroy'] },
    { files: ofProviders(inAlias('by["c"]')), apply: true },
    { files: ofProviders(inAlias('by["a b"]')), apply: true },
    { files: ofProviders(inAlias('test')) },
  ],
  'objects that are gone': [
    { files: ofProviders(spoiled), apply: true },
    { files: ofProviders(spoiled) },
    { files: ofProviders('') },
    { files: ofProviders(spoiled), args: ['-destroy'] },
  ],
}
