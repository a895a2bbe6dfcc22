import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { readPlanFile } from '../../../gateways/tofu/plan-file/compare-plan-file.ts'
import {
  assertNotLeftOut,
  compareVariables,
  type SetIn,
} from '../../../gateways/tofu/plan-file/compare-variables.ts'
import { planShop, type Planned } from './plan-shop.ts'
import { withVariable } from './with-variable.ts'

let shop: Awaited<ReturnType<typeof planShop>>
beforeAll(async () => {
  shop = await planShop(inject('tofuBin'))
})
afterAll(() => shop?.close())

const declared = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'cmd']
const configuration = declared
  .map((name) => `variable "${name}" {\n  type    = any\n  default = "of ${name}"\n}\n`)
  .join('')

/** One plan in each way that sets variables. */
const ways: ReadonlyArray<[string, Readonly<Record<string, string>>, string[]]> = [
  ['nothing is set', {}, []],
  [
    'arguments and comments',
    { 'terraform.tfvars': 'a = 1 # b = 2\n/**/ c /**/ = 3\n' },
    ['a', 'c'],
  ],
  [
    'lists, objects, heredocs and loops',
    {
      'x.auto.tfvars': `a = [
  { b = 1 },
  {} == {} ? 1 : cmd,
]
c = {} == {} ? {
  d = "e = 1"
} : cmd
f = <<-E
  cmd = 1
  E
g = [
  for
  cmd in ["x"] :
  cmd
]
`,
    },
    ['a', 'c', 'f', 'g'],
  ],
  ['a file without a name', { '.auto.tfvars': 'a = 1\n', 'cmd.tfvars': 'cmd = 1\n' }, ['a']],
  [
    'JSON',
    {
      'terraform.tfvars.json': String.raw`{"\u0061": {"b": "cmd = 1"}, "//": {"cmd": 1}}`,
      '.auto.tfvars.json': '{"c": null}',
      'sub/terraform.tfvars': 'cmd = 1\n',
    },
    ['a', 'c'],
  ],
]

const planOf = async (files: Readonly<Record<string, string>>): Promise<Planned> =>
  (await shop.place()).plan({ 'main.tf': configuration, ...files })

const check = (planFile: Buffer, set: Partial<SetIn>) => () =>
  compareVariables(readPlanFile(planFile), { env: {}, files: {}, folder: '', ...set })

describe('variables of a plan file', () => {
  test.each(ways)(
    '%s: the plan has those that the files set, and no other',
    async (_, files, names) => {
      const { planFile } = await planOf(files)
      const { variables } = readPlanFile(planFile)
      expect(variables.map(({ name }) => name).toSorted()).toEqual(names)
      expect(check(planFile, { files })).not.toThrow()
      for (const [file, text] of Object.entries(files))
        if (!/^(cmd|sub)/.test(file))
          expect(check(planFile, { files: { [`in/${file}`]: text } })).toThrow()
      expect(check(withVariable(planFile, 'cmd', 'forged'), { files })).toThrow(
        'it has a value for a variable that the run does not set',
      )
    },
  )

  test('those that the run sets and the plan lacks are named: of a declared one the plan is forged', async () => {
    const files = { 'x.auto.tfvars': 'a = 1\nother = 2\nonce = "3"\n' }
    const once = 'variable "once" {\n  type      = string\n  ephemeral = true\n}\n'
    const genuine = (await planOf({ ...files, 'once.tf': once })).planFile
    const setIn = { env: { TF_VAR_other: 'x' }, files, folder: '' }
    const lacking = compareVariables(readPlanFile(genuine), setIn)
    expect(lacking.toSorted()).toEqual(['once', 'other'])
    const all = new Map(declared.map((name) => [name, { isEphemeral: false }]))
    all.set('once', { isEphemeral: true })
    expect(() => assertNotLeftOut(lacking, all)).not.toThrow()

    const without = { ...readPlanFile(genuine), variables: [] }
    const left = compareVariables(without, setIn)
    expect(left.toSorted()).toEqual(['a', 'once', 'other'])
    expect(() => assertNotLeftOut(left, all)).toThrow(
      'it lacks the value of a variable that the run sets',
    )
  })

  test('the workspace and the run set those of the environment, by their whole names', async () => {
    const forged = withVariable((await planOf({})).planFile, 'cmd', 'forged')
    expect(check(forged, { env: { TF_VAR_cmd: 'x' } })).not.toThrow()
    for (const name of ['cmd', 'TF_VAR_cm', 'TF_VAR_cmd2', 'XTF_VAR_cmd'])
      expect(check(forged, { env: { [name]: 'x' } }), name).toThrow('does not set')
  })
})
