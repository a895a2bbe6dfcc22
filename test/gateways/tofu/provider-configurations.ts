import type { PlanStep } from './plan-configurations.ts'

const main = (text: string): Record<string, string> => ({
  'main.tf': `terraform {
  required_providers {
    local  = { source = "hashicorp/local" }
    simple = { source = "hashicorp/simple" }
  }
}
${text}`,
})

/**
 * A file for each unusual key. The apply's own code then changes or removes the files, which causes
 * drift.
 */
const files = (more: string) => `resource "local_file" "note" {
  for_each          = toset(["plain", "t w", "ü", "a.b[c]"])
  filename          = "\${path.module}/out/\${each.key}.txt"
  sensitive_content = "secret of \${each.key}"
}
data "local_file" "read" {
  filename = local_file.note["plain"].filename
}
output "read" {
  value     = { known = data.local_file.read.id, text = data.local_file.read.content_base64 }
  sensitive = true
}
${more}`

const spoil = `resource "terraform_data" "spoil" {
  depends_on = [local_file.note]
  provisioner "local-exec" {
    command = "rm 'out/t w.txt'; echo other > out/plain.txt"
  }
}
`

/**
 * Write-only attributes, an empty nested block, ephemeral values, and values that are unknown or
 * sensitive.
 */
const simple = (word: string, more = '') => `resource "simple_resource" "one" {
  value    = "${word}"
  value_wo = "written only"
}
resource "simple_resource" "each" {
  for_each = { "a b" = sensitive("${word}"), "x[\\"y\\"].z" = simple_resource.one.id, "$\${q}" = null }
  value    = each.value
  lifecycle {
    replace_triggered_by = [simple_resource.one.value]
  }
}
data "simple_resource" "read" {
  value = simple_resource.one.id
}
ephemeral "simple_resource" "passing" {
  value = data.simple_resource.read.value
}
resource "simple_resource" "from_passing" {
  value_wo = ephemeral.simple_resource.passing.value
}
output "all" {
  value     = [simple_resource.each, data.simple_resource.read.value]
  sensitive = true
}
${more}`

const aliased = {
  ...main(`provider "simple" {
  alias       = "by"
  for_each    = toset(["a b", "c.d"])
  i_depend_on = each.key
}
resource "simple_resource" "by" {
  for_each = toset(["a b", "c.d"])
  provider = simple.by[each.key]
  value    = each.key
}
module "m" {
  source    = "./m"
  for_each  = toset(["a b", "c.d"])
  providers = { simple.inner = simple.by[each.key] }
}
`),
  'm/main.tf': `terraform {
  required_providers {
    simple = {
      source                = "hashicorp/simple"
      configuration_aliases = [simple.inner]
    }
  }
}
resource "simple_resource" "inner" {
  provider = simple.inner
  count    = 2
  value    = count.index
}
`,
}

/** Plans of providers that are separate programs, with features that built-in resources lack. */
export const providerConfigurations: Readonly<Record<string, PlanStep[]>> = {
  local: [
    { files: main(files('')), apply: true },
    { files: main(files(spoil)), apply: true },
    { files: main(files('resource "terraform_data" "after" {\n  input = local_file.note\n}\n')) },
    { files: main(files('').replace('"ü", ', '')), apply: true },
    { files: main(files('')), args: ['-destroy'] },
  ],
  simple: [
    { files: main(simple('a')), apply: true },
    { files: main(simple('a')) },
    { files: main(simple('b')), apply: true },
    { files: main(simple('b')), args: ['-replace=simple_resource.one'] },
    {
      files: main(
        simple(
          'b',
          `moved {
  from = simple_resource.from_passing
  to   = simple_resource.moved["x y"]
}
resource "simple_resource" "moved" {
  for_each = toset(["x y"])
}
`,
        ).replace(/resource "simple_resource" "from_passing" \{[^}]*\}\n/, ''),
      ),
    },
    { files: main(simple('b')), args: ['-destroy'] },
  ],
  'aliases of modules': [
    { files: aliased, apply: true },
    { files: aliased, args: ['-destroy'] },
  ],
}
