import { isRecord } from '../../domain/infrastructure/record.ts'
import type { Enforcement, PolicyResult } from '../../domain/policies/judge-policies.ts'
import type { Benches, StepEnd } from '../sandbox/workbench.ts'
import { clip, explainEnd, parseJson, valueOf } from './opa-output.ts'
import { capabilitiesFile, withPolicyBench } from './policy-bench.ts'
import { evaluationLimits, policyLimits, type EvaluationLimits } from './policy-limits.ts'

/**
 * Each policy's messages about one plan, in the order of the policies. Each has an OPA process of its own,
 * because all share one package name and must not see or break each other. A policy that cannot be evaluated
 * has an `error`; a broken sandbox throws.
 */
export async function evaluatePolicies(
  sandbox: Benches,
  { policies, input, mask, capabilities, signal }: PolicyQuestion,
): Promise<PolicyResult[]> {
  if (policies.length === 0) return []
  const document = JSON.stringify(input)
  const regoBytes = policies.reduce((sum, { rego }) => sum + Buffer.byteLength(rego), 0)
  const inputBytes = Buffer.byteLength(document)
  const sizeBytes = inputBytes + regoBytes
  const limits = evaluationLimits(inputBytes)
  const options = { label: 'policy-gate', sizeBytes, capabilities }
  return withPolicyBench(sandbox, options, async (bench) => {
    const deadline = Date.now() + policyLimits.gateTimeoutMs
    await bench.write(inputFile, document)
    const results: PolicyResult[] = []
    for (const [at, policy] of policies.entries()) {
      const cwd = String(at)
      await bench.makeFolder(cwd)
      await bench.write(`${cwd}/policy.rego`, policy.rego)
      const timeoutMs = Math.min(limits.timeoutMs, deadline - Date.now())
      signal?.throwIfAborted()
      const said =
        timeoutMs > 0
          ? readMessages(
              await bench.run({ args, cwd, timeoutMs, inputBytes, ...(signal && { signal }) }),
              { mask, limits },
            )
          : {
              error: `The policies before it took ${policyLimits.gateTimeoutMs / 1_000} s together.`,
            }
      signal?.throwIfAborted()
      const { id: policyId, name, enforcement } = policy
      results.push({ policyId, name, enforcement, deny: [], warn: [], ...said })
    }
    return results
  })
}

export type PolicyQuestion = {
  policies: readonly Policy[]
  /** `{ plan, run, workspace, cost }`, the plan as `tofu show -json` gives it, with its true values. */
  input: unknown
  /** Masks a policy's messages before they are cut. */
  mask: (text: string) => string
  /** Where they are known already (`opaCapabilitiesOf`). */
  capabilities?: string | undefined
  signal?: AbortSignal
}

export type Policy = { id: number; name: string; rego: string; enforcement: Enforcement }

const inputFile = 'input.json'

// A rule that is undefined is left out, and no other rule of the package is evaluated for itself.
const query =
  '{name: messages | some name in ["deny", "warn"]; messages := data.cloudcontrol[name]}'

const flags = '--format json --strict-builtin-errors --data policy.rego'
const files = `--capabilities ../${capabilitiesFile} --input ../${inputFile}`
const args = [...`eval ${flags} ${files}`.split(' '), query]

type Said = Pick<PolicyResult, 'deny' | 'warn'> | { error: string }

type Reading = { mask: (text: string) => string; limits: EvaluationLimits }

function readMessages(end: StepEnd, { mask, limits }: Reading): Said {
  const value = end.exitCode === 0 ? valueOf(parseJson(end.stdout)) : undefined
  if (!isRecord(value)) return { error: explainEnd(end, mask, limits) }
  const { deny, warn } = value
  if (deny === undefined && warn === undefined)
    return { error: 'It has neither a rule deny nor a rule warn in package cloudcontrol.' }
  if (!isList(deny) || !isList(warn)) return { error: 'deny and warn must be sets of messages.' }
  return { deny: toMessages(deny ?? [], mask), warn: toMessages(warn ?? [], mask) }
}

const isList = (value: unknown): value is unknown[] | undefined =>
  value === undefined || Array.isArray(value)

function toMessages(values: unknown[], mask: (text: string) => string): string[] {
  const shown =
    values.length > policyLimits.messages ? values.slice(0, policyLimits.messages - 1) : values
  const messages = shown.map((value) => clip(mask(toText(value))))
  const more = values.length - shown.length
  return more > 0 ? [...messages, `… and ${more} more`] : messages
}

/** As conftest has it: a text, or an object whose `msg` is the text. */
function toText(value: unknown): string {
  if (typeof value === 'string') return value
  if (isRecord(value) && typeof value['msg'] === 'string') return value['msg']
  return JSON.stringify(value)
}
