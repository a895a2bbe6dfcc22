import { isRecord, own } from '../../domain/infrastructure/record.ts'
import type { Benches } from '../sandbox/workbench.ts'
import { parseJson, readErrors, type PolicyError } from './opa-output.ts'
import { capabilitiesFile, withPolicyBench } from './policy-bench.ts'
import { policyLimits } from './policy-limits.ts'

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
    })
    if (compiled.exitCode !== 0) return refused(readErrors(compiled))
    const parsed = await bench.run({
      cwd: '0',
      args: ['parse', '--format', 'json', '--json-include', 'locations,-comments', 'policy.rego'],
    })
    const module = parsed.exitCode === 0 ? parseJson(parsed.stdout) : undefined
    if (!isRecord(module)) return refused(readErrors(parsed))
    const faults = findShapeFaults(module)
    return faults.length > 0 ? refused(faults) : { ok: true }
  })
}

export type PolicyCheck = { ok: true } | { ok: false; errors: PolicyError[] }

const refused = (errors: PolicyError[]): PolicyCheck => ({ ok: false, errors })

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])

function findShapeFaults(module: unknown): PolicyError[] {
  const path = listOf(own(own(module, 'package'), 'path'))
  const names = path.slice(1).map((term) => own(term, 'value'))
  if (names.length !== 1 || names[0] !== 'cloudcontrol')
    return [fault(path[1] ?? own(module, 'package'), 'The package must be named cloudcontrol.')]

  const rules = listOf(own(module, 'rules')).filter((rule) => verdictName(rule) !== undefined)
  if (rules.length === 0)
    return [
      fault(own(module, 'package'), 'It has no rule: write `deny contains message if { … }`.'),
    ]
  return rules
    .filter((rule) => !isSetOfMessages(rule))
    .map((rule) => {
      const name = verdictName(rule) ?? ''
      return fault(
        rule,
        `\`${name}\` must be a set of messages: write \`${name} contains message if { … }\`.`,
      )
    })
}

/** `deny` or `warn` when the rule is, or is part of, one of the two. */
function verdictName(rule: unknown): string | undefined {
  const name = own(listOf(own(own(rule, 'head'), 'ref'))[0], 'value')
  return name === 'deny' || name === 'warn' ? name : undefined
}

/** Of all rules only `deny contains m` has a key; `deny.x contains m` has one too, but is an object. */
function isSetOfMessages(rule: unknown): boolean {
  const head = own(rule, 'head')
  return own(head, 'key') !== undefined && listOf(own(head, 'ref')).length === 1
}

function fault(node: unknown, message: string): PolicyError {
  const location = own(node, 'location') ?? own(own(node, 'head'), 'location')
  const row = own(location, 'row')
  const column = own(location, 'col')
  return {
    line: typeof row === 'number' ? row : 1,
    column: typeof column === 'number' ? column : 1,
    message,
  }
}
