import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { PlanStep } from './plan-configurations.ts'

export type Planned = {
  planFile: Buffer
  planJson: Record<string, unknown>
  text: string
  /** The state that it was made from; undefined where there was none. */
  origin: Buffer | undefined
}

/**
 * The real engine without a sandbox, which makes many plans in a short time. States are kept in
 * memory.
 */
export async function planShop(program: string, cliConfig = '') {
  const states = new Map<string, Buffer>()
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const url = request.url ?? ''
      if (request.method === 'POST') states.set(url.replace(/\?.*/, ''), Buffer.concat(chunks))
      const state = states.get(url)
      if (request.method !== 'GET') return response.end()
      return state ? response.end(state) : response.writeHead(204).end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  // The server listens on a port, so `address` returns an object.
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const home = mkdtempSync(join(tmpdir(), 'cc-plans-'))
  await writeFile(join(home, 'tofu.rc'), cliConfig)
  let count = 0

  async function tofu(cwd: string, args: readonly string[]): Promise<string> {
    const env = {
      PATH: '/usr/bin:/bin',
      HOME: home,
      TF_HTTP_ADDRESS: `${base}/${cwd.split('/').at(-1)}`,
      TF_CLI_CONFIG_FILE: join(home, 'tofu.rc'),
      CHECKPOINT_DISABLE: '1',
    }
    const child = spawn(program, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
    const out: Buffer[] = []
    const errors: Buffer[] = []
    child.stdout.on('data', (chunk: Buffer) => out.push(chunk))
    child.stderr.on('data', (chunk: Buffer) => errors.push(chunk))
    const code = await new Promise((resolve) => child.on('close', resolve))
    if (code !== 0)
      throw new Error(
        `tofu ${args[0]}: ${Buffer.concat(errors).toString()}${Buffer.concat(out).toString()}`,
      )
    return Buffer.concat(out).toString()
  }

  return {
    /** A working folder with its own state. */
    async place() {
      count += 1
      const cwd = join(home, `p${count}`)
      await mkdir(cwd)
      let begun = false
      const write = async (files: Readonly<Record<string, string>>) => {
        for (const [name, text] of Object.entries({
          'backend_override.tf.json': '{"terraform":{"backend":{"http":{}}}}',
          ...files,
        })) {
          await mkdir(dirname(join(cwd, name)), { recursive: true })
          await writeFile(join(cwd, name), text)
        }
      }
      const plan = async (
        files: Readonly<Record<string, string>>,
        args: readonly string[] = [],
      ): Promise<Planned> => {
        await write(files)
        if (!begun || JSON.stringify(files).includes('module'))
          await tofu(cwd, ['init', '-input=false'])
        begun = true
        await tofu(cwd, ['plan', '-input=false', '-lock=false', '-out=plan.bin', ...args])
        const text = await tofu(cwd, ['show', '-json', 'plan.bin'])
        const planFile = readFileSync(join(cwd, 'plan.bin'))
        const origin = states.get(`/${cwd.split('/').at(-1)}`)
        return { planFile, planJson: JSON.parse(text), text, origin }
      }
      const apply = async () => tofu(cwd, ['apply', '-input=false', '-lock=false', 'plan.bin'])
      return { plan, tryApply: async () => apply().catch(() => undefined) }
    },
    close() {
      server.close()
      rmSync(home, { recursive: true, force: true })
    },
  }
}

/** The plans of each place one after the other, by the place's name and the number of the step. */
export async function plansOf(
  shop: Awaited<ReturnType<typeof planShop>>,
  all: Readonly<Record<string, readonly PlanStep[]>>,
): Promise<ReadonlyMap<string, Planned>> {
  const plans = new Map<string, Planned>()
  for (const [name, steps] of Object.entries(all)) {
    const place = await shop.place()
    for (const [at, { files, args, apply }] of steps.entries()) {
      plans.set(`${name} ${at}`, await place.plan(files, args))
      if (apply) await place.tryApply()
    }
  }
  return plans
}
