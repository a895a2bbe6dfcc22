import type { PlanStep } from './plan-configurations.ts'

type Files = Record<string, string>

const main = (text: string): Files => ({ 'main.tf': text })
const data = (name: string, more = '') => `resource "terraform_data" "${name}" {\n  ${more}\n}\n`
const moved = (from: string, to: string) => `moved {\n  from = ${from}\n  to = ${to}\n}\n`
const each = (...keys: string[]) => `for_each = toset(${JSON.stringify(keys)})`
const call = (name: string, more = '') => `module "${name}" {\n  source = "./m"\n  ${more}\n}\n`
const inModule = (text: string, child = data('a')): Files => ({
  'main.tf': text,
  'm/main.tf': child,
})

/** A state is made of the first files. The second ones, which move its objects, are planned and then destroyed. */
const unapplied = (before: Files, after: Files): PlanStep[] => [
  { files: before, apply: true },
  { files: after },
  { files: after, args: ['-destroy'] },
]

const deposing = data('a', 'triggers_replace = 2\nlifecycle {\n create_before_destroy = true\n }')
const failing = deposing.replace(
  'lifecycle',
  'provisioner "local-exec" {\n command = "false"\n }\nprovisioner "local-exec" {\n when = destroy\n command = "true"\n }\nlifecycle',
)
const chain = moved('terraform_data.x', 'terraform_data.a')
  .concat(moved('terraform_data.a', 'terraform_data.b'))
  .concat(moved('terraform_data.b', 'terraform_data.c'))

/** Moves that no apply has written into the state, of built-in resources. */
export const moves: Readonly<Record<string, PlanStep[]>> = {
  'a moved block': unapplied(
    main(data('a', 'input = "x"') + data('other')),
    main(data('b', 'input = "x"') + data('other') + moved('terraform_data.a', 'terraform_data.b')),
  ),
  'a moved block in other words': unapplied(main(data('a') + data('c', each('x # y', '}'))), {
    ...main(
      `${data('b', 'input = "$${ \\" moved { ${"}"} # moved {"')}${data('d', each('to = 1', '}'))}/* moved {
  from = terraform_data.a
  to = terraform_data.e
} */
moved { # of a
  // from = terraform_data.x
  from = terraform_data . a /* the old name */
  to   = terraform_data.b # the new one
}
`,
    ),
    'more.tf.json': JSON.stringify({
      moved: [
        { from: 'terraform_data.c["x # y"]', to: 'terraform_data.d["to = 1"]' },
        { from: 'terraform_data.c["}"]', to: 'terraform_data.d["}"]' },
      ],
    }),
  }),
  'count is added': unapplied(main(data('a')), main(data('a', 'count = 1'))),
  'count is removed': unapplied(main(data('a', 'count = 2')), main(data('a'))),
  'a whole resource': unapplied(
    main(data('a', 'count = 3')),
    main(data('b', 'count = 2') + moved('terraform_data.a', 'terraform_data.b')),
  ),
  'count becomes for_each': unapplied(
    main(data('a', 'count = 2')),
    main(
      data('a', each('x', 'y')) +
        moved('terraform_data.a[0]', 'terraform_data.a["x"]') +
        moved('terraform_data.a[1]', 'terraform_data.a["y"]'),
    ),
  ),
  'keys of for_each': unapplied(
    main(data('a', each('a b', 'c'))),
    main(
      data('a', each('0', 'c["d"]')) +
        moved('terraform_data.a["a b"]', 'terraform_data.a["0"]') +
        moved('terraform_data.a["c"]', 'terraform_data.a["c[\\"d\\"]"]'),
    ),
  ),
  'a chain': unapplied(main(data('x')), main(data('c') + chain)),
  'a blocked chain': unapplied(
    main(data('x') + data('b') + data('other')),
    main(data('c') + chain),
  ),
  'one takes the place of another': unapplied(
    main(data('a') + data('b')),
    main(
      data('c') +
        moved('terraform_data.b', 'terraform_data.a') +
        moved('terraform_data.a', 'terraform_data.c'),
    ),
  ),
  'to what is no longer there': unapplied(
    main(data('a') + data('other')),
    main(data('other') + moved('terraform_data.a', 'terraform_data.b')),
  ),
  'a deposed object': [
    { files: main(deposing.replace('= 2', '= 1')), apply: true },
    { files: main(failing), apply: true },
    ...unapplied(main(failing), main(data('b') + moved('terraform_data.a', 'terraform_data.b'))),
  ],
  'a tainted object': unapplied(
    main(data('a', 'provisioner "local-exec" {\n command = "false"\n }')),
    main(data('b') + moved('terraform_data.a', 'terraform_data.b')),
  ),
  'count of a module': unapplied(inModule(call('m')), inModule(call('m', 'count = 1'))),
  'no count of a module': unapplied(inModule(call('m', 'count = 2')), inModule(call('m'))),
  'a module': unapplied(
    inModule(call('m', each('x', 'y'))),
    inModule(call('n', each('x', 'y')) + moved('module.m', 'module.n')),
  ),
  'keys of a module': unapplied(
    inModule(call('m', each('x', 'y')), data('a', 'count = 2')),
    inModule(
      call('m', each('z', 'y')) + moved('module.m["x"]', 'module.m["z"]'),
      data('b', 'count = 2') + moved('terraform_data.a', 'terraform_data.b'),
    ),
  ),
  'in and out of a module': unapplied(
    inModule(call('m', each('x')) + data('into')),
    inModule(
      call('m', each('x')) +
        data('out') +
        moved('terraform_data.into', 'module.m["x"].terraform_data.b[1]') +
        moved('module.m["x"].terraform_data.a', 'terraform_data.out'),
      data('b', 'count = 2'),
    ),
  ),
}

const aliases = `terraform {
  required_providers {
    simple = { source = "hashicorp/simple" }
    local  = { source = "hashicorp/local" }
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
  for_each = toset(["x", "y"])
}
`
const simple = (name: string, alias: string, more = '') =>
  `resource "simple_resource" "${name}" {\n  provider = simple.${alias}\n  ${more}\n}\n`
const note = (name: string) =>
  `resource "local_file" "${name}" {\n  filename = "out.txt"\n  content = "x"\n}\n`
const spoiling = data(
  'spoil',
  'depends_on = [local_file.a]\nprovisioner "local-exec" {\n command = "rm out.txt"\n }',
)
const child = (text: string) => `terraform {
  required_providers {
    simple = { source = "hashicorp/simple" }
  }
}
${text}`

/** The same of providers that are separate programs. */
export const providerMoves: Readonly<Record<string, PlanStep[]>> = {
  'of one alias': unapplied(
    main(aliases + simple('a', 'test') + simple('gone', 'test')),
    main(
      aliases +
        simple('b', 'test') +
        moved('simple_resource.a', 'simple_resource.b') +
        moved('simple_resource.gone', 'simple_resource.nowhere'),
    ),
  ),
  'to another alias': unapplied(
    main(aliases + simple('a', 'test')),
    main(aliases + simple('b', 'prod') + moved('simple_resource.a', 'simple_resource.b')),
  ),
  'to another alias of a module': unapplied(
    main(aliases + simple('a', 'test')),
    inModule(
      aliases +
        call('m', 'for_each = toset(["k"])\nproviders = { simple = simple.prod }') +
        moved('simple_resource.a', 'module.m["k"].simple_resource.a'),
      child('resource "simple_resource" "a" {}\n'),
    ),
  ),
  'between instances of a provider': unapplied(
    main(aliases + simple('a', 'by[each.key]', each('x'))),
    main(
      aliases +
        simple('a', 'by[each.key]', each('y')) +
        moved('simple_resource.a["x"]', 'simple_resource.a["y"]'),
    ),
  ),
  'what is gone': unapplied(
    main(aliases + note('a') + spoiling),
    main(aliases + note('b') + moved('local_file.a', 'local_file.b')),
  ),
}
