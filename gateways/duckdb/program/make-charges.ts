import type { DuckDBConnection } from '@duckdb/node-api'
import { chargeColumns } from '../../../domain/finops/focus/charge-columns.ts'
import { quoted, rowsOf } from './open-database.ts'

/** A part of the groups, by the hash of what charges of one resource share. */
export type GroupRange = { range: number; ranges: number }

/** Texts of groups that are grouped again stay in memory, so only so many are taken at a time. */
const groupsOfRange = 100_000

/** Into how many ranges the groups are split. */
export async function countRanges(database: DuckDBConnection): Promise<number> {
  const [counted = {}] = await rowsOf(
    database,
    'SELECT CAST(count(*) AS INTEGER) AS groups FROM grouped',
  )
  return Math.max(1, Math.ceil(Number(counted['groups']) / groupsOfRange))
}

/**
 * Fills the table `charges` from a range of `grouped`: the rules by which clouds write FOCUS differently are applied
 * to groups, and groups that are then equal become one. Those lie in one range.
 */
export async function makeCharges(
  database: DuckDBConnection,
  extras: readonly string[],
  range: GroupRange,
): Promise<void> {
  const texts = chargeColumns.filter(({ type }) => type === 'text').map(({ name }) => name)
  const cleaned = texts
    .filter((name) => name !== 'provider')
    .map((name) => `nullif(replace(${name}, chr(0), ''), '') AS ${name}`)
  const dimensions = chargeColumns.filter(({ role }) => role === 'dimension')
  const keys = dimensions.map(({ name }) => keyOf(name))
  await database.run(`
    CREATE OR REPLACE TABLE charges AS
    WITH clean AS (
      SELECT * REPLACE (${cleaned.join(', ')}) FROM grouped WHERE ${isOfRange(range)}
    ), provided AS (
      SELECT clean.* EXCLUDE (tags, provider_name), tag_sets.tags AS tags,
        coalesce(provider_name, service_provider_name) AS provider_name,
        ${providerOf('coalesce(service_provider_name, provider_name)')} AS provider
      FROM clean LEFT JOIN tag_sets ON tag_sets.raw = clean.tags
    )
    SELECT ${[...keys, ...aggregates(extras)].join(', ')}, sum(lines) AS lines
    FROM provided GROUP BY ${keys.map((_, index) => index + 1).join(', ')}`)
}

/** Whatever the rules change in these columns (case, NUL, an empty text), they don't change the hash. */
function isOfRange({ range, ranges }: GroupRange): string {
  if (ranges === 1) return 'true'
  const bare = (name: string) => `coalesce(lower(replace(${name}, chr(0), '')), '')`
  const values = ['day', ...['resource_id', 'sku_id', 'charge_description'].map(bare)]
  return `hash(${values.join(', ')}) % ${ranges} = ${range}`
}

/** Azure writes the same id in different cases. */
const azureIds = new Set([
  'resource_id',
  'billing_account_id',
  'sub_account_id',
  'commitment_discount_id',
])

function keyOf(name: string): string {
  if (azureIds.has(name))
    return `CASE WHEN provider = 'azure' THEN lower(${name}) ELSE ${name} END AS ${name}`
  if (name === 'service_name') return `coalesce(service_name, publisher_name, 'Unknown') AS ${name}`
  return name
}

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
