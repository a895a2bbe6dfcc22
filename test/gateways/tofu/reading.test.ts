import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { comparePlanFile } from '../../../gateways/tofu/plan-file/compare-plan-file.ts'
import { tofuBench } from './tofu-bench.ts'

let engine: Awaited<ReturnType<typeof tofuBench>>
beforeAll(async () => {
  engine = await tofuBench(inject('tofuBin'))
})
afterAll(() => engine.close())

describe('a plan file is read without settings by its author', () => {
  test('an undetected encryption block has no effect on plan, show and apply', async () => {
    const command = '["sh", "-c", "echo ran >> /bench/out/ran; cat"]'
    const method = `method "external" "x" {\n encrypt_command = ${command}\n decrypt_command = ${command}\n}`
    const target = 'method = method.external.x\n fallback {\n method = method.external.x\n }'
    const files = {
      'main.tf': `terraform {\n encryption {\n ${method}\n plan {\n ${target}\n }\n state {\n ${target}\n }\n }\n}\nresource "terraform_data" "a" {\n input = "hello"\n}\n`,
    }
    const { bench, tool, lines } = await engine.run(files)
    const log = () => lines.join('\n')
    expect((await tool.init({})).exitCode, log()).toBe(0)
    expect((await tool.plan({ destroy: false })).exitCode, log()).toBe(0)
    const planFile = await tool.readPlanFile()
    expect(planFile?.subarray(0, 4).toString('latin1')).toBe('PK\u0003\u0004')
    const shown = await tool.show(undefined, { maxBytes: 32 * 1024 ** 2 })
    const planJson = JSON.parse(shown.stdout.toString())
    expect(planJson.resource_changes).toHaveLength(1)
    expect(() => comparePlanFile(planFile ?? Buffer.alloc(0), planJson)).not.toThrow()
    expect((await tool.apply(() => undefined)).exitCode, log()).toBe(0)
    expect(engine.state()).toContain('"hello"')
    expect(await bench.read('out/ran', 1_000)).toBeUndefined()
    // The product's own setting makes OpenTofu print a warning, which every log would contain.
    expect(log()).not.toContain('Unencrypted')
    await bench.close()
  })

  test('an enforced encryption block fails the run', async () => {
    const { bench, tool, lines } = await engine.run({
      'main.tf':
        'terraform {\n encryption {\n method "unencrypted" "x" {}\n plan {\n method = method.unencrypted.x\n enforced = true\n }\n }\n}\n',
    })
    expect((await tool.init({})).exitCode).toBe(1)
    expect(lines.join('\n')).toContain('Unencrypted method is forbidden')
    await bench.close()
  })

  test('show gets neither the workspace’s environment nor a folder that a plan can write', async () => {
    const script = [
      // Files that a plan's code could leave for the next steps.
      'echo nonsense > ../reading/main.tf',
      'mv ../reading ../away',
      'mkdir -p terraform.d/plugins/x ~/.terraform.d/plugins',
      'echo nonsense > broken.tf',
      'echo \'{"a":"b"}\'',
    ].join('; ')
    const files = {
      'main.tf': `variable "where" {\n type = string\n}\nmodule "m" {\n source = "./\${var.where}"\n}\nresource "terraform_data" "a" {\n input = module.m.said\n}\n`,
      'sub/main.tf': 'output "said" {\n value = "hello"\n}\n',
    }
    const { bench, tool, lines } = await engine.run(
      files,
      // Only the plan may read these.
      { env: { TF_VAR_where: 'sub', TF_LOG: '', XDG_DATA_HOME: '/bench/config' } },
    )
    expect((await tool.init({})).exitCode, lines.join('\n')).toBe(0)
    expect((await tool.plan({ destroy: false })).exitCode, lines.join('\n')).toBe(0)
    const hostile = await bench.run({
      program: 'sh',
      args: ['-c', script],
      env: { PATH: '/usr/bin:/bin', HOME: bench.inside('out') },
      cwd: 'config',
      readOnly: ['data', 'settings', 'reading'],
      network: 'none',
      limits: {
        timeoutMs: 10_000,
        silenceMs: 10_000,
        memoryBytes: 2 ** 28,
        processes: 64,
        fileSizeBytes: 2 ** 20,
      },
    })
    expect(hostile.how).toBe('exited')
    const shown = await tool.show(undefined, { maxBytes: 32 * 1024 ** 2 })
    expect(shown.exitCode, lines.join('\n')).toBe(0)
    expect(JSON.parse(shown.stdout.toString()).variables).toEqual({ where: { value: 'sub' } })
    // From a copy: the hostile step left another file in the folder.
    expect(await tool.declaredVariables(files)).toEqual(
      new Map([['where', { isEphemeral: false }]]),
    )
    await bench.close()
  })

  test('a provider among the configuration’s files is not installed', async () => {
    const place = 'registry.opentofu.org/hashicorp/local/9.9.9/linux_amd64'
    const program = '#!/bin/sh\necho planted >> /bench/out/ran\n'
    const { bench, tool, lines } = await engine.run({
      'main.tf': 'resource "local_file" "x" {\n filename = "x"\n}\n',
      [`terraform.d/plugins/${place}/terraform-provider-local`]: program,
    })
    expect((await tool.init({})).exitCode).toBe(1)
    expect(lines.join('\n')).not.toMatch(/[Ii]nstall(ing|ed) hashicorp\/local v9/)
    await bench.close()
  })

  test('the declared variables are those of the working folder, with its override files', async () => {
    const files = {
      'in/main.tf': 'variable "a" {}\nvariable "b" {}\nmodule "m" {\n source = "./m"\n}\n',
      'in/override.tf.json': '{"variable":{"b":{"ephemeral":true}}}',
      'in/m/main.tf': 'variable "below" {}\n',
      // What a source needs is read too: values of variables, and files beside.
      'in/more.tf':
        'variable "name" {}\nmodule "n" {\n source = "./${var.name}${file("../empty")}"\n}\n',
      'in/terraform.tfvars': 'name = "m"\n',
      empty: '',
      'main.tf': 'variable "above" {}\n',
    }
    const { bench, tool } = await engine.run(files, { folder: 'in' })
    expect(await tool.declaredVariables(files)).toEqual(
      new Map([
        ['a', { isEphemeral: false }],
        ['b', { isEphemeral: true }],
        ['name', { isEphemeral: false }],
      ]),
    )
    expect(await tool.declaredVariables({ 'in/main.tf': 'variable {' })).toBeUndefined()
    await bench.close()
  })

  // Without its hash a file of a fetched module could be missing from a plan file.
  test('the files of fetched modules are hashed by their names, whatever is in them', async () => {
    const { bench, tool } = await engine.run({ 'main.tf': 'module "far" {\n source = "x"\n}\n' })
    const names = ['main.tf', String.raw`a\b_override.tf`, 'two\nlines.tf']
    await bench.makeFolder('data/modules/far')
    for (const name of names) await bench.write(`data/modules/far/${name}`, `# ${name}`)
    const installed = '{"Modules":[{"Key":"far","Source":"x","Dir":"../data/modules/far"}]}'
    await bench.write('data/modules/modules.json', installed)
    const { kept } = await tool.keepModules()
    const hashOf = (name: string) => createHash('sha256').update(`# ${name}`).digest('hex')
    const digests = [...(kept?.digests ?? [])].filter(([path]) =>
      path.startsWith('data/modules/far/'),
    )
    expect(new Map(digests)).toEqual(
      new Map(names.map((name) => [`data/modules/far/${name}`, hashOf(name)])),
    )
    await bench.close()
  })
})
