import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export type BareTofu = {
  /** Milliseconds of init, plan, show and apply, run one after the other. */
  round(word: string): Promise<number>
  remove(): void
}

/**
 * Runs OpenTofu without the platform: the same files and commands in a fresh folder, with the state
 * file of the previous round. Making and removing the folder is not measured.
 */
export function bareTofu(program: string, files: Readonly<Record<string, string>>): BareTofu {
  const home = mkdtempSync(join(tmpdir(), 'cc-bench-bare-'))
  const kept = join(home, 'terraform.tfstate')
  let rounds = 0

  return {
    async round(word) {
      const folder = join(home, `round-${(rounds += 1)}`)
      mkdirSync(folder)
      for (const [name, content] of Object.entries(files))
        writeFileSync(join(folder, name), content)
      const state = join(folder, 'terraform.tfstate')
      if (existsSync(kept)) cpSync(kept, state)
      // The environment starts empty, because settings in the operator's shell would distort the
      // figures.
      const env = {
        PATH: '/usr/bin:/bin',
        HOME: home,
        TF_IN_AUTOMATION: '1',
        CHECKPOINT_DISABLE: '1',
        TF_VAR_word: word,
      }
      const run = async (args: readonly string[]) => runToEnd(program, args, { cwd: folder, env })

      const since = performance.now()
      await run(['init', '-input=false', '-no-color'])
      await run(['plan', '-input=false', '-no-color', '-json', '-out=plan.bin'])
      await run(['show', '-json', '-no-color', 'plan.bin'])
      await run(['apply', '-input=false', '-no-color', '-json', '-auto-approve', 'plan.bin'])
      const tookMs = performance.now() - since

      cpSync(state, kept)
      rmSync(folder, { recursive: true })
      return tookMs
    },
    remove: () => rmSync(home, { recursive: true, force: true }),
  }
}

type Place = { cwd: string; env: NodeJS.ProcessEnv }

async function runToEnd(program: string, args: readonly string[], place: Place): Promise<void> {
  const child = spawn(program, args, { ...place, stdio: ['ignore', 'pipe', 'pipe'] })
  let said = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => (said += chunk.toString()))
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error(`tofu ${args[0]} ended with ${String(code)}:\n${said}`)
}
