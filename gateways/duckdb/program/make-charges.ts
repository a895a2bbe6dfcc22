import type { DuckDBConnection } from '@duckdb/node-api'
import { chargeColumns } from '../../../domain/finops/focus/charge-columns.ts'
import { quoted, rowsOf } from './open-database.ts'
import { makeSpelling, spellingOf } from './spelled-values.ts'

/** Texts of groups that are grouped again stay in memory, so only so many are taken at a time. */
const groupsAtOnce = 100_000

/**
 * Makes the table `repeated` and the view `single_charges`. The rules by which clouds write FOCUS differently are
 * applied to groups, and groups that are then equal are one charge. Most are equal to no other: those are charges as
 * they are, and grouping them again would take most of the time. Equal groups have equal hashes, so `repeated` has the
 * groups whose hash another has too.
 */
export async function prepareCharges(
  database: DuckDBConnection,
  extras: readonly string[],
): Promise<void> {
  await makeSpelling(database)
  await database.run(`
    CREATE TABLE repeated AS WITH hashed AS MATERIALIZED (
      SELECT group_id, hash(${keyValues.join(', ')}) AS hash FROM (${ruled('true')})
    )
    SELECT * FROM hashed WHERE hash IN (SELECT hash FROM hashed GROUP BY 1 HAVING count(*) > 1)`)
  await database.run(`
    CREATE VIEW single_charges AS SELECT ${[...keys, ...singles(extras)].join(', ')}, lines
    FROM (${ruled('rowid NOT IN (SELECT group_id FROM repeated)')})`)
}

/** Into how many ranges the groups are split that are grouped again; 0 where there are none. */
export async function countRanges(database: DuckDBConnection): Promise<number> {
  const [counted = {}] = await rowsOf(
    database,
    'SELECT CAST(count(*) AS INTEGER) AS groups FROM repeated',
  )
  return Math.ceil(Number(counted['groups']) / groupsAtOnce)
}

/** Fills the table `merged_charges` from a range of `repeated`. Groups with one hash that are not equal stay apart. */
export async function mergeGroups(
  database: DuckDBConnection,
  extras: readonly string[],
  { range, ranges }: { range: number; ranges: number },
): Promise<void> {
  const ofRange = `SELECT group_id FROM repeated WHERE hash % ${ranges} = ${range}`
  await database.run(`
    CREATE OR REPLACE TABLE merged_charges AS
    SELECT ${[...keys, ...aggregates(extras)].join(', ')}, sum(lines) AS lines
    FROM (${ruled(`rowid IN (${ofRange})`)})
    GROUP BY ${keys.map((_, index) => index + 1).join(', ')}`)
}

const cleaned = chargeColumns
  .filter(({ name, type }) => type === 'text' && name !== 'provider')
  .map(
    ({ name }) =>
      `CASE WHEN trim(${name}) <> '' THEN nullif(replace(${name}, chr(0), ''), '') END AS ${name}`,
  )

/** Azure writes the same id in different cases. */
const azureIds = new Set([
  'resource_id',
  'billing_account_id',
  'sub_account_id',
  'commitment_discount_id',
])

/** The value of a column by which charges are told apart. */
function keyValueOf(name: string): string {
  if (azureIds.has(name)) return `CASE WHEN provider = 'azure' THEN lower(${name}) ELSE ${name} END`
  if (name === 'billing_currency') return currencyOf(name)
  if (name === 'service_name') return `coalesce(service_name, publisher_name, 'Unknown')`
  return spellingOf(name)
}

/** Three letters are a code of ISO 4217, which rates are looked up by. Other names of money are the bill's own. */
export const currencyOf = (text: string): string =>
  `CASE WHEN regexp_full_match(trim(${text}), '[A-Za-z]{3}') THEN upper(trim(${text})) ELSE ${text} END`

const dimensions = chargeColumns.filter(({ role }) => role === 'dimension')
const keyValues = dimensions.map(({ name }) => keyValueOf(name))
const keys = dimensions.map(({ name }) => `${keyValueOf(name)} AS ${name}`)

/** The values of one group that is a charge by itself. */
function singles(extras: readonly string[]): string[] {
  const columns = chargeColumns.flatMap(({ name, type, role }) => {
    if (role === 'sum' || role === 'first' || role === 'last') return [name]
    return role === 'shared' && type !== 'jsonb' ? [`${ownValue(name)} AS ${name}`] : []
  })
  return [...columns, ...extras.map((_, index) => `${ownValue(`x${index}`)} AS x${index}`)]
}

const ownValue = (name: string): string =>
  `CASE WHEN ${name}_min = ${name}_max THEN ${name}_min END`

function aggregates(extras: readonly string[]): string[] {
  const columns = chargeColumns.flatMap(({ name, type, role }) => {
    if (role === 'sum') return [`sum(${name}) AS ${name}`]
    if (role === 'first') return [`min(${name}) AS ${name}`]
    if (role === 'last') return [`max(${name}) AS ${name}`]
    return role === 'shared' && type !== 'jsonb' ? [`${sharedValue(name)} AS ${name}`] : []
  })
  return [...columns, ...extras.map((_, index) => `${sharedValue(`x${index}`)} AS x${index}`)]
}

const sharedValue = (name: string): string =>
  `CASE WHEN min(${name}_min) = max(${name}_max) THEN min(${name}_min) END`

const providers = {
  aws: [
    'aws',
    'amazon',
    'amazon web services',
    'amazon web services, inc.',
    'amazon web services emea sarl',
  ],
  azure: ['azure', 'microsoft', 'microsoft azure', 'microsoft corporation'],
  gcp: ['gcp', 'google', 'google cloud', 'google cloud platform', 'google llc'],
  oci: ['oci', 'oracle', 'oracle cloud', 'oracle cloud infrastructure', 'oracle corporation'],
}

function providerOf(name: string): string {
  const lower = `lower(trim(${name}))`
  const cases = Object.entries(providers).map(
    ([provider, names]) => `WHEN ${lower} IN (${names.map(quoted).join(', ')}) THEN '${provider}'`,
  )
  return `CASE ${cases.join(' ')} ELSE ${lower} END`
}

/** The groups for which a condition holds, after the rules. */
const ruled = (condition: string): string => `
  WITH clean AS (
    SELECT rowid AS group_id, * REPLACE (${cleaned.join(', ')}) FROM grouped WHERE ${condition}
  )
  SELECT clean.* EXCLUDE (tags, provider_name), tag_sets.tags AS tags,
    coalesce(provider_name, service_provider_name) AS provider_name,
    ${providerOf('coalesce(service_provider_name, provider_name)')} AS provider
  FROM clean LEFT JOIN tag_sets ON tag_sets.raw = clean.tags`

/** A value of an extra column beyond this is left out. */
const extraLength = 2_000

/** The object of what extra columns share, or null. */
export function extraObject(extras: readonly string[]): string {
  if (extras.length === 0) return 'CAST(NULL AS VARCHAR)'
  const members = extras.map((name, index) => {
    const value = `nullif(replace(x${index}, chr(0), ''), '')`
    return `${quoted(name.replaceAll('\0', ''))}, CASE WHEN length(x${index}) <= ${extraLength} THEN ${value} END`
  })
  // A merge patch leaves members out that are null (RFC 7396).
  return `nullif(CAST(json_merge_patch('{}', json_object(${members.join(', ')})) AS VARCHAR), '{}')`
}
