import { execFileSync } from 'node:child_process'

/** `CC_OPA_BIN`, else `opa` on PATH; undefined, with a word about it, where there is none. */
export function findOpa(): string | undefined {
  const program = process.env['CC_OPA_BIN'] ?? 'opa'
  try {
    execFileSync(program, ['version'], { stdio: 'ignore' })
    return program
  } catch {
    console.warn('skipped: no opa (set CC_OPA_BIN)')
    return undefined
  }
}
