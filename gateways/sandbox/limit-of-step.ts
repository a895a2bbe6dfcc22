import type { StepEnd } from './workbench.ts'

/** The limit that ended a step, in words; undefined if it ended in another way. */
export function limitOfStep({ how, limit, signal }: StepEnd): string | undefined {
  if (how === 'timed_out') return 'it took too long'
  if (how === 'silent') return 'it printed nothing for too long'
  if (how === 'too_much_output') return 'it printed too much'
  if (limit === 'memory') return 'it needs more memory than it has'
  if (limit === 'disk') return 'it needs more disk than it has'
  return signal === 'SIGXFSZ' ? 'it has a file that is too large' : undefined
}
