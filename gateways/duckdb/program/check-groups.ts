import type { DuckDBConnection } from '@duckdb/node-api'
import { chargeColumns } from '../../../domain/finops/focus/charge-columns.ts'
import { boundedNames, nameBytesAtMost } from './line-columns.ts'
import { currencyOf } from './make-charges.ts'
import { named, rowsOf } from './open-database.ts'
import { BillRefused, fileRefused } from './protocol.ts'
import { isOtherCategory } from './spelled-values.ts'

/** Whether each group can be a charge; where the lines are that cannot is for `findFaults`. */
export async function groupsAreWhole(database: DuckDBConnection): Promise<boolean> {
  const names = chargeColumns.filter(({ focus = '' }) => boundedNames.includes(focus))
  const tooLong = names.map(({ name }) => `strlen(${name}) > ${nameBytesAtMost}`).join(' OR ')
  const [counted] = await rowsOf(
    database,
    `SELECT count(*) AS bad FROM grouped WHERE bad > 0
      OR ${isOtherCategory('charge_category')}
      OR nullif(trim(billing_currency), '') IS NULL OR length(billing_currency) > 40
      OR (nullif(trim(provider_name), '') IS NULL AND nullif(trim(service_provider_name), '') IS NULL)
      OR ${tooLong}`,
  )
  return Number(counted?.['bad']) === 0
}

const providersAtMost = 200
const servicesAtMost = 10_000
/** Answers of the API list the money of each currency that has no rate. */
const currenciesAtMost = 50

/**
 * PostgreSQL's numeric(30, 12) holds 18 digits before the point. The amounts are added without their signs, so that
 * no sum of some of them is larger.
 */
const sumAtMost = { cost: '1e18', quantity: '1e22' }

/** Refuses what no single line shows: a bill without lines, with too many names, or with sums that are too large. */
export async function checkWholeBill(database: DuckDBConnection, key: string): Promise<void> {
  const sums = chargeColumns.flatMap(({ name, focus, type, role }) =>
    role === 'sum' && focus !== undefined && (type === 'cost' || type === 'quantity')
      ? [{ name, focus, atMost: sumAtMost[type] }]
      : [],
  )
  const isOver = sums.map(
    ({ name, atMost }) =>
      `coalesce(sum(abs(CAST(${name} AS DOUBLE))) >= ${atMost}, false) AS ${named(`${name}_over`)}`,
  )
  const [found = {}] = await rowsOf(
    database,
    `SELECT CAST(count(*) AS INTEGER) AS groups,
      CAST(count(DISTINCT lower(coalesce(nullif(trim(service_provider_name), ''), trim(provider_name)))) AS INTEGER) AS providers,
      CAST(count(DISTINCT service_name) AS INTEGER) AS services,
      CAST(count(DISTINCT ${currencyOf('billing_currency')}) AS INTEGER) AS currencies, ${isOver.join(', ')} FROM grouped`,
  )
  if (Number(found['groups']) === 0) throw fileRefused(key, 'The file has no rows.')
  if (Number(found['providers']) > providersAtMost)
    throw fileRefused(key, `The bill names more than ${providersAtMost} providers`, 'ProviderName')
  if (Number(found['services']) > servicesAtMost)
    throw fileRefused(key, `The bill names more than ${servicesAtMost} services`, 'ServiceName')
  const currencies = Number(found['currencies'])
  if (currencies > currenciesAtMost) {
    const message = `The bill names ${currencies} currencies; at most ${currenciesAtMost} are read`
    throw fileRefused(key, message, 'BillingCurrency')
  }
  const errors = sums
    .filter(({ name }) => found[`${name}_over`] === true)
    .map(({ focus, atMost }) => ({
      file: key,
      row: null,
      column: focus,
      message: `The values of the bill add up to ${atMost} or more`,
    }))
  if (errors.length > 0) throw new BillRefused(errors.slice(0, 10))
}
