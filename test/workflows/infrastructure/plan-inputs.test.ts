import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { isOver, linesOf, runUntil, startRun } from '../../harness/runs.ts'

let harness: Harness
beforeAll(async () => {
  harness = await createHarness({ worker: true })
})
afterAll(async () => harness.close())

async function ran(files: Record<string, string>, how: { set?: object; vars?: object } = {}) {
  const org = await harness.organization()
  const owner = await org.user('Owner')
  const workspace = await org.workspace({ by: owner, files })
  for (const [key, value] of Object.entries(how.set ?? {})) {
    const made = await owner.post(`${workspace.url}/variables`, { key, value })
    expect(made.statusCode, made.body).toBe(201)
  }
  const { id } = await startRun(owner, workspace, how.vars && { vars: how.vars })
  const run = await runUntil(owner, { workspace, id }, isOver)
  const { outputs } = (await owner.get(`${workspace.url}/outputs`)).json()
  const values = Object.fromEntries(
    outputs.map(({ name, value }: { name: string; value: unknown }) => [name, value]),
  )
  return { run, values, log: await linesOf(owner, workspace, { id, stage: 'plan' }) }
}

describe('a configuration that OpenTofu rejects: the message names the place', () => {
  test.each([
    [
      'resource "terraform_data" "x" {\n  input =\n}\n',
      'tofu init: Invalid expression (on main.tf line 2, column 10): Expected the start of an expression',
    ],
    [
      'resource "terraform_data" "x" {\n',
      'tofu init: Unclosed configuration block (on main.tf line 1, column 31): There is no closing brace',
    ],
    [
      'output "x" { value = terraform_data.nope.id }\n',
      'tofu plan: Reference to undeclared resource (on main.tf line 1, column 22): There is no managed resource',
    ],
    ['module "m" {\n  source = "./gone"\n}\n', 'could not be read for module "m" at main.tf:1.'],
  ])('%j', async (main, message) => {
    const { run, log } = await ran({ 'main.tf': main })
    expect(run).toMatchObject({ state: 'failed', reason: 'plan_errored' })
    expect([run.endMessage, ...log].join('\n')).toContain(message)
  })

  test('the message of a failed init contains neither JSON nor advice to run commands', async () => {
    const { log } = await ran({ 'main.tf': 'output "x" { value = 1 }\n' })
    expect(log).toContain('Initializing the backend...')
    expect(log.filter((line) => /^OpenTofu \d/.test(line))).toHaveLength(1)
    expect(log.join('\n')).not.toMatch(/@message|Try running/)
  })
})

describe('variables', () => {
  const main = (type: string) => `variable "v" ${type}\noutput "v" { value = var.v }\n`
  const odd = `it's "odd" $HOME \`x\` \\ ; | & # \${a}\n-var=v=no`

  test.each([
    [
      'the run is over the workspace and the file',
      'z.auto.tfvars',
      { set: { v: 'workspace' }, vars: { v: 'run' } },
      'run',
    ],
    [
      'the workspace is over the file',
      'terraform.tfvars',
      { set: { v: 'workspace' } },
      'workspace',
    ],
    [
      'the workspace is over a file of an ending alone',
      '.auto.tfvars',
      { set: { v: 'workspace' } },
      'workspace',
    ],
    [
      'the workspace is over a file that escapes the name',
      'terraform.tfvars.json',
      { set: { v: 'workspace' } },
      'workspace',
    ],
    ['the file holds where nobody else says', 'terraform.tfvars', {}, 'file'],
    ['whatever is in it, it is taken as it is', 'terraform.tfvars', { vars: { v: odd } }, odd],
  ])('%s', async (_, file, how, value) => {
    const { run, values } = await ran(
      {
        'main.tf': main('{ type = string }'),
        [file]: file.endsWith('.json') ? String.raw`{"\u0076": "file"}` : 'v = "file"\n',
      },
      how,
    )
    expect(run.state, run.endMessage ?? '').toBe('succeeded')
    expect(values['v']).toBe(value)
  })

  test('a list stays a list, and undeclared variables are ignored', async () => {
    const { run, values } = await ran(
      {
        'main.tf': main('{ type = list(string) }'),
        'terraform.tfvars': 'v = ["file"]\ngone = 1\n',
      },
      { set: { gone: 'x' }, vars: { v: '["a", "b"]' } },
    )
    expect(run.state, run.endMessage ?? '').toBe('succeeded')
    expect(values['v']).toEqual(['a', 'b'])
  })

  test('a variable of the run that the configuration does not declare is reported', async () => {
    const { run, log } = await ran(
      { 'main.tf': 'output "x" { value = 1 }\n' },
      { vars: { typo: 'x' } },
    )
    expect(run.state).toBe('succeeded')
    expect(log.join('\n')).toContain('declares no variable "typo"')
  })
})
