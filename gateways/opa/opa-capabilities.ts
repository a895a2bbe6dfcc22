import type { Benches, StepEnd } from '../sandbox/workbench.ts'
import { parseJson } from './opa-output.ts'
import { isRecord } from '../../domain/infrastructure/record.ts'

/**
 * The capabilities of this OPA without those that reach out of a policy: a policy that uses one does not
 * compile. Computed once per sandbox, by the OPA that will evaluate.
 */
export function opaCapabilities(
  sandbox: Benches,
  run: (args: readonly string[]) => Promise<StepEnd>,
): Promise<string> {
  const known = made.get(sandbox)
  if (known) return known
  const making = run(['capabilities', '--current']).then(strip)
  made.set(sandbox, making)
  // A failure is not kept: the next caller tries again.
  making.catch(() => made.delete(sandbox))
  return making
}

/** What an evaluation in this sandbox has found out, if there was one. */
export const knownCapabilities = (sandbox: Benches): Promise<string> | undefined =>
  made.get(sandbox)

const made = new WeakMap<Benches, Promise<string>>()

const isForbidden = (name: string) =>
  name === 'http.send' || name === 'opa.runtime' || name.startsWith('net.')

function strip(end: StepEnd): string {
  const capabilities = end.exitCode === 0 ? parseJson(end.stdout) : undefined
  const builtins = isRecord(capabilities) ? capabilities['builtins'] : undefined
  if (!isRecord(capabilities) || !Array.isArray(builtins))
    throw new Error(`OPA did not tell its capabilities (${end.how}, ${end.exitCode})`)
  const allowed = builtins.filter(
    (builtin) =>
      isRecord(builtin) && typeof builtin['name'] === 'string' && !isForbidden(builtin['name']),
  )
  // Without `allow_net`, a schema's `$ref` could name any host.
  return JSON.stringify({ ...capabilities, builtins: allowed, allow_net: [] })
}
