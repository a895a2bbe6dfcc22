import { isRecord, own } from '../../domain/infrastructure/record.ts'
import type { StepEnd } from '../sandbox/workbench.ts'
import { evaluationLimits, policyLimits, type EvaluationLimits } from './policy-limits.ts'

export type PolicyError = {
  /** From 1. */
  line: number
  column: number
  message: string
}

/** Why an evaluation gave no result, in one line. Masked, because an error quotes its input. */
export function explainEnd(
  end: StepEnd,
  mask: (text: string) => string,
  limits: EvaluationLimits,
): string {
  const [error] = listErrors(end, mask)
  if (!error) return howItEnded(end, limits)
  return clip(`line ${error.line}, column ${error.column}: ${error.message}`)
}

/** OPA's own errors (`--format json`), or one that says how the step ended. Never empty. */
export function readErrors(end: StepEnd): PolicyError[] {
  const errors = listErrors(end)
  return errors.length > 0
    ? errors
    : [{ line: 1, column: 1, message: howItEnded(end, evaluationLimits(0)) }]
}

export function parseJson(output: Buffer): unknown {
  try {
    return JSON.parse(output.toString('utf8'))
  } catch {
    return undefined
  }
}

/** Of the answer of `opa eval`: `{ "result": [{ "expressions": [{ "value": … }] }] }` */
export function valueOf(output: unknown): unknown {
  const first = (value: unknown): unknown => (Array.isArray(value) ? value[0] : undefined)
  return own(first(own(first(own(output, 'result')), 'expressions')), 'value')
}

/** Bounded, and without the characters that Postgres refuses in a jsonb. */
export function clip(text: string): string {
  const cut = text.length > maxMessageLength ? `${text.slice(0, maxMessageLength - 1)}…` : text
  return cut.toWellFormed().replaceAll('\0', '\uFFFD')
}

const maxMessageLength = policyLimits.messageLength

function listErrors(end: StepEnd, mask = (text: string) => text): PolicyError[] {
  const listed = own(end.how === 'exited' ? parseJson(end.stdout) : undefined, 'errors')
  return (Array.isArray(listed) ? listed : [])
    .slice(0, policyLimits.errors)
    .map((error) => readError(error, mask))
}

function readError(error: unknown, mask: (text: string) => string): PolicyError {
  const message = isRecord(error) ? error['message'] : undefined
  const location = own(error, 'location')
  return {
    line: position(own(location, 'row')),
    column: position(own(location, 'col')),
    message: clip(typeof message === 'string' ? mask(message) : 'unknown error'),
  }
}

// At the end of a file OPA counts a column from 0, and in an empty one a row too.
const position = (value: unknown) => (typeof value === 'number' && value > 0 ? value : 1)

function howItEnded({ how, limit }: StepEnd, { timeoutMs, memoryBytes }: EvaluationLimits): string {
  const memory = `${Math.floor(memoryBytes / 1024 / 1024)} MiB of memory`
  if (limit === 'memory') return `It needed more than its ${memory}.`
  if (how === 'timed_out' || how === 'silent')
    return `It was not done within ${timeoutMs / 1_000} s.`
  if (how === 'too_much_output')
    return `It gave more than ${policyLimits.outputBytes / 1024 / 1024} MiB.`
  return `It was ended: it used more than its ${memory}, or the policy engine failed.`
}
