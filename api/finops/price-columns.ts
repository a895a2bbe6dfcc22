import { invalid, type ErrorDetail } from '../../domain/errors.ts'
import { currencies } from '../../domain/organizations/currencies.ts'
import { readPath } from '../../domain/infrastructure/attribute-path.ts'
import type { NewPrice, PriceChange } from '../../store/finops/prices.ts'
import { decimalText } from './decimal-text.ts'
import type { PriceChangeBody } from './schemas.ts'

/** Of one `match` as JSON. A page of the price book has up to 200, and each judged plan all of them. */
const maxMatchBytes = 4_096

/** A price's fields as they are stored. Refuses what the schema cannot express. */
export function priceColumns(
  body: PriceChangeBody,
): Partial<NewPrice> & Pick<PriceChange, 'enabled'> {
  const { monthlyPrice, match = {}, ...rest } = body
  const details: ErrorDetail[] = Object.keys(match)
    .filter((path) => readPath(path) === undefined)
    .map((path) => ({
      path: 'match',
      message: `${path} is no attribute path: write root_block_device[0].volume_type`,
    }))
  if (Buffer.byteLength(JSON.stringify(match)) > maxMatchBytes)
    details.unshift({
      path: 'match',
      message:
        'is more than 4 KiB of JSON. Name only the attributes that decide the price, with shorter values',
    })
  const text = monthlyPrice === undefined ? undefined : decimalText(monthlyPrice)
  if (monthlyPrice !== undefined && text === undefined)
    details.push({ path: 'monthlyPrice', message: 'is 0 or at least 0.000000000001' })
  // No organization can have this currency, so the price would never match.
  if (body.currency !== undefined && !currencies.has(body.currency))
    details.push({ path: 'currency', message: 'is not a currency of ISO 4217' })
  if (details.length > 0)
    throw invalid(
      `${details[0]?.path ?? 'price'}: ${details[0]?.message ?? 'is not valid'}`,
      details,
      'validation_failed',
    )
  return {
    ...rest,
    ...(body.match && { match }),
    ...(text !== undefined && { monthlyPrice: text }),
  }
}

/** A price with the source of learned ones would be written over, and stand below those of people. */
export function assertOwnSource(source: string | undefined): void {
  if (source !== 'bill') return
  const message = 'bill is the source of prices that are learned. Name another one'
  throw invalid(`source: ${message}`, [{ path: 'source', message }], 'validation_failed')
}
