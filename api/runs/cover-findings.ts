import type { SecretSearch } from '../../domain/secrets/secret-search.ts'
import type { RunBody } from './schemas.ts'

/** Masks what has become sensitive since the gates were judged. */
export const coverFindings = (
  stages: RunBody['stages'],
  { coverAll }: SecretSearch,
): RunBody['stages'] =>
  stages.map(({ gates, ...stage }) => ({
    ...stage,
    ...(gates && {
      gates: gates.map((gate) => ({ ...gate, findings: coverAll(gate.findings) as unknown[] })),
    }),
  }))
