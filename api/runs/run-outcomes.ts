import type { Static } from 'typebox'
import type { Outcome } from '../../domain/runs/outcomes-in-log.ts'
import type { SecretSearch } from '../../domain/secrets/secret-search.ts'
import type { RunDetail } from './run-detail-schema.ts'

type Answer = Pick<Static<typeof RunDetail>, 'outcomes' | 'outcomesTruncated'>

/** What an apply did to each resource. The key of an instance can be a value that has become sensitive. */
export const presentOutcomes = (
  outcomes: ReadonlyMap<string, Outcome>,
  { cover }: Pick<SecretSearch, 'cover'>,
): Answer => ({
  outcomes: [...outcomes].slice(0, maxOutcomes).map(([address, { action, result, seconds }]) => ({
    address: cover(address),
    action,
    result,
    durationMs: seconds * 1_000,
  })),
  outcomesTruncated: outcomes.size > maxOutcomes,
})

const maxOutcomes = 1_000
