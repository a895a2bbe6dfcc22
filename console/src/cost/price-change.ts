import type { Body } from '../api/call.ts'
import { changedFields } from '../parts/changed-fields.ts'
import type { Price } from './queries.ts'

type Field = 'provider' | 'resourceType' | 'match' | 'monthlyPrice' | 'currency' | 'validFrom'

/**
 * What the form changes of the price that it was opened with, and no more: a save does not take back the amount
 * that another person or a newer bill set.
 */
export const priceChange = (
  typed: Body<'createPrice'>,
  was: Pick<Price, Field>,
): Body<'updatePrice'> => changedFields(typed, was)
