import type { DuckDBConnection } from '@duckdb/node-api'
import { quoted } from './open-database.ts'
import { tagsAreBroken, tagsAreTooLarge } from './tag-texts.ts'

/**
 * Fills the table `tag_sets` (raw, tags) with each distinct text of tags and its object: keys under the
 * organization's aliases, of one key the first value as text, `true` for a tag without one. There are far fewer sets than rows. The
 * answer is false where some are broken or too large.
 */
export async function makeTagSets(
  database: DuckDBConnection,
  aliases: Readonly<Record<string, readonly string[]>>,
): Promise<boolean> {
  await database.run(
    `CREATE TABLE raw_tags AS SELECT DISTINCT tags AS raw FROM grouped WHERE nullif(trim(tags), '') IS NOT NULL`,
  )
  const broken = await database.runAndReadAll(
    `SELECT count(*) FROM raw_tags WHERE ${tagsAreBroken('raw')} OR ${tagsAreTooLarge('raw')}`,
  )
  if (Number(broken.getRowsJson()[0]?.[0]) > 0) return false

  const rows = Object.entries(aliases).flatMap(([key, others]) =>
    others.map((other, index) => `(${quoted(other)}, ${quoted(key)}, ${index + 1})`),
  )
  await database.run(
    `CREATE TABLE aliases AS SELECT * FROM (VALUES ('', '', 0)${rows.map((row) => `, ${row}`).join('')}) AS t (alias, key, rank)`,
  )
  const json = 'CAST(raw AS JSON)'
  await database.run(`
    CREATE TABLE tag_sets AS
    WITH entries AS (
      SELECT raw, unnest(CASE json_type(${json})
        WHEN 'OBJECT' THEN list_transform(
          map_entries(from_json(${json}, '"MAP(VARCHAR,VARCHAR)"')),
          (entry, place) -> {'k': entry.key, 'v': entry.value, 'place': place})
        WHEN 'ARRAY' THEN list_transform(CAST(${json} AS JSON[]), (pair, place) -> {
          'k': coalesce(json_extract_string(pair, '$.key'), json_extract_string(pair, '$.Key')),
          'v': coalesce(json_extract_string(pair, '$.value'), json_extract_string(pair, '$.Value')), 'place': place})
      END) AS entry
      FROM raw_tags
    ), known AS (
      SELECT raw, replace(coalesce(key, entry.k), chr(0), '') AS k,
        replace(coalesce(entry.v, 'true'), chr(0), '') AS v, coalesce(rank, 0) AS rank, entry.place AS place
      FROM entries LEFT JOIN aliases ON alias = entry.k AND rank > 0
    ), one_each AS (
      SELECT raw, k, min({'rank': rank, 'place': place, 'v': v}).v AS v FROM known GROUP BY raw, k
    )
    SELECT raw, CAST(to_json(map_from_entries(list({'k': k, 'v': v} ORDER BY k))) AS VARCHAR) AS tags
    FROM one_each GROUP BY raw`)
  return true
}
