import { isRecord, own } from '../../domain/infrastructure/record.ts'
import type { Benches } from '../sandbox/workbench.ts'
import { parseJson, readErrors, valueOf, type PolicyError } from './opa-output.ts'
import { capabilitiesFile, withPolicyBench } from './policy-bench.ts'
import { policyLimits } from './policy-limits.ts'
import { shapeRego } from './policy-shape.ts'

/**
 * Whether a policy can be stored: it compiles with the capabilities allowed here, its package is
 * `cloudcontrol`, and it has at least one set of messages `deny` or `warn`. A policy without one would
 * silently pass every plan.
 */
export function checkPolicy(sandbox: Benches, rego: string): Promise<PolicyCheck> {
  const sizeBytes = Buffer.byteLength(rego)
  if (sizeBytes > policyLimits.regoBytes)
    return Promise.resolve(
      refused([
        { line: 1, column: 1, message: `It is longer than ${policyLimits.regoBytes} bytes.` },
      ]),
    )
  return withPolicyBench(sandbox, { label: 'policy-check', sizeBytes }, async (bench) => {
    await bench.makeFolder('0')
    await bench.write('0/policy.rego', rego)
    // Compiles exactly as an evaluation does; `opa check` would write its errors elsewhere.
    const compiled = await bench.run({
      cwd: '0',
      args: `eval --format json --capabilities ../${capabilitiesFile} --data policy.rego true`.split(
        ' ',
      ),
      captureBytes: maxErrorBytes,
    })
    if (compiled.how === 'too_much_output') return refused([tooManyErrors])
    if (compiled.exitCode !== 0) return refused(readErrors(compiled))
    const parsed = await bench.run({
      cwd: '0',
      args: ['parse', '--format', 'json', '--json-include', 'locations,-comments', 'policy.rego'],
    })
    if (parsed.exitCode !== 0) return refused(readErrors(parsed))
    // OPA reads the syntax tree, not this process: one of 16 MiB takes JSON.parse 0.15 s.
    await bench.write('0/shape.rego', shapeRego)
    const shaped = await bench.run({
      cwd: '0',
      args: 'eval --format json --stdin-input --data shape.rego data.shape.summary'.split(' '),
      stdin: parsed.stdout,
      captureBytes: maxSummaryBytes,
    })
    const shape = shaped.exitCode === 0 ? valueOf(parseJson(shaped.stdout)) : undefined
    if (!isRecord(shape)) return refused(readErrors(shaped))
    const faults = findShapeFaults(shape)
    return faults.length > 0 ? refused(faults) : { ok: true }
  })
}

export type PolicyCheck = { ok: true } | { ok: false; errors: PolicyError[] }

const refused = (errors: PolicyError[]): PolicyCheck => ({ ok: false, errors })

/** Some 5,000 errors. OPA lists each of a policy's syntax, and a line of 128 KiB in full. */
const maxErrorBytes = 1024 ** 2
/** The package's path may be as long as the policy, and is escaped. */
const maxSummaryBytes = 1024 ** 2

const tooManyErrors: PolicyError = {
  line: 1,
  column: 1,
  message: 'It has more errors than can be listed here. List them with `opa check` and mend them.',
}

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])

/** Of what `shapeRego` says. */
function findShapeFaults(shape: unknown): PolicyError[] {
  const names = listOf(own(shape, 'path')).slice(1)
  if (names.length !== 1 || own(names[0], 'value') !== 'cloudcontrol')
    return [fault(names[0] ?? own(shape, 'package'), 'The package must be named cloudcontrol.')]
  if (own(shape, 'rules') === 0)
    return [fault(own(shape, 'package'), 'It has no rule: write `deny contains message if { … }`.')]
  return listOf(own(shape, 'faulty')).map((rule) => {
    const name = String(own(rule, 'name'))
    return fault(
      rule,
      `\`${name}\` must be a set of messages: write \`${name} contains message if { … }\`.`,
    )
  })
}

function fault(node: unknown, message: string): PolicyError {
  const row = own(node, 'row')
  const column = own(node, 'col')
  return {
    line: typeof row === 'number' ? row : 1,
    column: typeof column === 'number' ? column : 1,
    message,
  }
}
