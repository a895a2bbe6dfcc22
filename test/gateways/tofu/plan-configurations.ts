export type PlanStep = {
  files: Record<string, string>
  args?: string[]
  /** Applied after the plan, even if the apply fails in the middle. */
  apply?: boolean
}

const main = (text: string): Record<string, string> => ({ 'main.tf': text })

const values = `
resource "terraform_data" "numbers" {
  input = [0, -0, 1, -1, 127, 128, -128, 255, 65536, 4294967296, 9007199254740993,
    9223372036854775807, 9223372036854775808, 18446744073709551616, -9223372036854775809,
    123456789012345678901234567890, 0.1, -0.5, 3.14159265358979323846264338327950288,
    1e30, 1.5e-7, 1e-30, 12345678901234567890.123456789]
}
resource "terraform_data" "texts" {
  input = {
    empty     = ""
    unicode   = "äöü \\u0041 😀 \\U0001F600 日本語 e\\u0301"
    quotes    = "\\"' \\\\ $\${x} %%{y}"
    lines     = "a\\nb\\r\\n\\tc"
    number    = "12345678901234567890123"
    long      = join("", [for i in range(400) : "0123456789"])
    html      = "<a href='x'>&</a>"
    "odd key" = "\\u0001\\u2028"
    no_utf8   = urldecode("a%ff%feb%e2%82c%f0%9f%98%c3%28%ed%a0%80d%c0%80%f4%90%80%80%f5e")
    cut       = [urldecode("%ff"), urldecode("%e2%82"), urldecode("%f0%9f%98%80%80")]
  }
}
resource "terraform_data" "nothing" {
  input            = null
  triggers_replace = null
}
resource "terraform_data" "empties" {
  input = { map = {}, list = [], tuple = [[], {}, ""], text = "", nothing = null, no = [null] }
}
resource "terraform_data" "sets" {
  input = {
    texts   = toset(["b", "a", "ä", "", "Z", "10", "9"])
    numbers = toset([10, 9, -1, 0.5, 18446744073709551616])
    flags   = toset([true, false])
    objects = toset([{ a = "x", b = [1, 2] }, { a = "w", b = [3] }, { a = "w", b = [] }])
    sets    = toset([toset(["b", "a"]), toset(["c"])])
    maps    = toset([{ z = 1 }, { y = 2 }])
  }
}
resource "terraform_data" "nested" {
  input = { a = [{ b = { c = [true, false, null, "x", 1, [[[["deep"]]]]] } }], d = tomap({ k = ["v"] }) }
}
resource "terraform_data" "unknown" {
  input = {
    id     = terraform_data.texts.id
    list   = [terraform_data.texts.id, "known", terraform_data.nested.output]
    map    = { (terraform_data.texts.input.empty) = terraform_data.numbers.id, x = "y" }
    set    = toset([terraform_data.texts.id, "known", terraform_data.nested.id])
    text   = "prefix-\${terraform_data.texts.id}"
    length = length(terraform_data.texts.id)
    object = toset([{ a = terraform_data.texts.id, b = "x" }, { a = "k", b = "y" }])
    whole  = terraform_data.texts.output
  }
}
variable "secret" {
  type      = string
  default   = "a secret text"
  sensitive = true
}
variable "given" {
  type    = any
  default = { a = [1, "2", true, null] }
}
resource "terraform_data" "sensitive" {
  input = { a = var.secret, b = sensitive([1, 2]), c = { d = sensitive("x") }, e = sensitive("0.0.0.0/0") }
}
output "plain" { value = "x" }
output "number" { value = 123456789012345678901234567890 }
output "unknown" { value = terraform_data.texts.id }
output "partly" { value = { a = terraform_data.texts.id, b = [1, null, terraform_data.texts.id] } }
output "sets" { value = toset(["b", "a"]) }
output "nothing" { value = null }
output "secret" {
  value     = var.secret
  sensitive = true
}
output "given" { value = var.given }
`

const modules = `
module "one" {
  source = "./m"
  name   = "one"
}
module "each" {
  source   = "./m"
  for_each = toset(["a", "b c", "d.e[\\"f\\"]", "\${"$"}{x}", "ü", "\\\\", "a\\nb"])
  name     = each.key
}
module "counted" {
  source = "./m"
  count  = 2
  name   = "c\${count.index}"
}
`
const child = `
variable "name" { type = string }
resource "terraform_data" "x" { input = var.name }
resource "terraform_data" "each" {
  for_each = { (var.name) = 1, "\${var.name}-\\u0001\\u200b😀" = 2 }
  input    = each.value
}
module "below" {
  source = "./below"
}
output "id" { value = terraform_data.x.id }
`
const below = `
resource "terraform_data" "y" {
  count = 2
  input = count.index
}
`
const withModules = { 'main.tf': modules, 'm/main.tf': child, 'm/below/main.tf': below }

const data = (lines: string) => main(`resource "terraform_data" "a" {\n${lines}\n}\n`)

/** Plans in the order in which they are made in one working folder, named by what they contain. */
export const configurations: Readonly<Record<string, PlanStep[]>> = {
  values: [
    { files: main(values), apply: true },
    { files: main(values) },
    { files: main(values.replaceAll('"x"', '"changed"').replace('[0, -0', '[7')), apply: true },
    { files: main(values), args: ['-destroy'], apply: true },
  ],
  modules: [
    { files: withModules, apply: true },
    { files: { ...withModules, 'main.tf': modules.replace('count  = 2', 'count  = 1') } },
    { files: withModules, args: ['-target=module.one', '-refresh=false'] },
    { files: withModules, args: ['-replace=module.one.terraform_data.x'] },
    { files: withModules, args: ['-destroy'] },
  ],
  nothing: [{ files: main('') }, { files: main('output "x" {\n value = 1\n}\n'), apply: true }],
  'outputs that go': [
    { files: main('output "x" {\n value = [1]\n}\noutput "y" {\n value = 2\n}\n'), apply: true },
    { files: main('output "x" {\n value = [2]\n}\n') },
  ],
  replaced: [
    { files: data('input = 1\ntriggers_replace = { a = [1, { b = "c" }] }'), apply: true },
    { files: data('input = 2\ntriggers_replace = { a = [1, { b = "d" }] }') },
    {
      files: data('triggers_replace = [2]\nlifecycle {\n create_before_destroy = true\n }'),
      apply: true,
    },
    { files: data('input = 3\nlifecycle {\n ignore_changes = all\n }') },
  ],
  moved: [
    { files: data('input = 1'), apply: true },
    {
      files: main(
        'moved {\n from = terraform_data.a\n to = terraform_data.b["x y"]\n}\nresource "terraform_data" "b" {\n for_each = toset(["x y"])\n input = 2\n}\n',
      ),
    },
    {
      files: main(
        'moved {\n from = terraform_data.a\n to = terraform_data.b\n}\nresource "terraform_data" "b" {\n input = 1\n}\n',
      ),
    },
  ],
  removed: [
    { files: data('input = 1'), apply: true },
    {
      files: main(
        'removed {\n from = terraform_data.a\n lifecycle {\n destroy = false\n }\n}\nresource "terraform_data" "b" {}\n',
      ),
    },
  ],
  imported: [
    {
      files: main(
        'import {\n to = terraform_data.a\n id = "an-id"\n}\nresource "terraform_data" "a" {\n input = "x"\n}\n',
      ),
      apply: true,
    },
  ],
  tainted: [
    { files: data('input = 1\nprovisioner "local-exec" {\n command = "false"\n }'), apply: true },
    { files: data('input = 1') },
  ],
  deposed: [
    {
      files: data('triggers_replace = 1\nlifecycle {\n create_before_destroy = true\n }'),
      apply: true,
    },
    {
      files: data(
        'triggers_replace = 2\nlifecycle {\n create_before_destroy = true\n }\nprovisioner "local-exec" {\n command = "false"\n }',
      ),
      apply: true,
    },
    { files: data('triggers_replace = 2\nlifecycle {\n create_before_destroy = true\n }') },
  ],
  'data sources': [
    { files: data('input = "s"'), apply: true },
    {
      files: main(
        'resource "terraform_data" "a" {\n input = "t"\n}\ndata "terraform_remote_state" "s" {\n backend = "local"\n config = { path = "${path.module}/none-${terraform_data.a.id}" }\n defaults = { a = [1, { b = null }] }\n depends_on = [terraform_data.a]\n}\noutput "s" {\n value = data.terraform_remote_state.s.outputs\n}\n',
      ),
    },
  ],
  checks: [
    {
      files: main(
        'resource "terraform_data" "a" {\n input = 1\n lifecycle {\n postcondition {\n condition = self.output == 1\n error_message = "no"\n }\n }\n}\ncheck "c" {\n assert {\n condition = terraform_data.a.id != ""\n error_message = "bad"\n }\n}\nvariable "v" {\n default = 1\n validation {\n condition = var.v == 1\n error_message = "x"\n }\n}\n',
      ),
      apply: true,
    },
    { files: data('input = 1'), args: ['-refresh-only'] },
  ],
  variables: [
    {
      files: main(
        'variable "a" {\n type = map(set(number))\n}\nvariable "b" {\n type = object({ x = optional(string), y = optional(list(any), [1]) })\n}\nvariable "c" {\n default = "d"\n}\nvariable "e" {\n type = string\n default = null\n}\noutput "o" {\n value = [var.a, var.b, var.c, var.e]\n}\n',
      ),
      args: ['-var=a={k=[3,1,2]}', '-var=b={x=null}', '-var=e=ü'],
    },
  ],
}
