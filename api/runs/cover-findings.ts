import { isRecord } from '../../domain/infrastructure/record.ts'
import type { SecretSearch } from '../../domain/secrets/secret-search.ts'
import type { RunBody } from './schemas.ts'

/** What a finding has of the service and its organization, and nothing of a plan: a page counts and links by them. */
const ours = new Set(['level', 'enforcement', 'policyId', 'budget'])

/** Masks what has become sensitive since the gates were judged. */
export const coverFindings = (
  stages: RunBody['stages'],
  { coverAll }: SecretSearch,
): RunBody['stages'] =>
  stages.map(({ gates, ...stage }) => ({
    ...stage,
    ...(gates && {
      gates: gates.map((gate) => ({
        ...gate,
        findings: gate.findings.map((finding) => coverFinding(finding, coverAll)),
      })),
    }),
  }))

const coverFinding = (finding: unknown, coverAll: SecretSearch['coverAll']): unknown =>
  isRecord(finding)
    ? Object.fromEntries(
        Object.entries(finding).map(([name, value]) => [
          name,
          ours.has(name) ? value : coverAll(value),
        ]),
      )
    : coverAll(finding)
