import { googleTagNames } from './column-names.ts'
import { textOf } from './column-texts.ts'
import type { BillFile } from './bill-file.ts'

/** Google's FOCUS table has no Tags. */
export const isTaggedByGoogle = (file: BillFile): boolean =>
  !file.columns.has('Tags') && googleTagNames.some((name) => file.columns.has(name))

/** The tags of a line as one text of JSON: an object, or pairs of key and value, of which the first of a key counts. */
export function tagsOf(file: BillFile): string {
  if (!isTaggedByGoogle(file)) return textOf(file, 'Tags')
  const lists = googleTagNames
    .filter((name) => file.columns.has(name))
    .map((name) => pairsIn(`trim(${textOf(file, name)})`))
  return `nullif('[' || concat_ws(',', ${lists.join(', ')}) || ']', '[]')`
}

/** The pairs of a list or an object, without its brackets. What is neither stays, so that the whole is no JSON. */
function pairsIn(text: string): string {
  const entries = `map_entries(from_json(try_cast(${text} AS JSON), '"MAP(VARCHAR,VARCHAR)"'))`
  const list = `coalesce(CAST(to_json(${entries}) AS VARCHAR), '[' || ${text} || ']')`
  return (
    `CASE left(${text}, 1) WHEN '[' THEN nullif(trim(${text}[2:-2]), '') ` +
    `WHEN '{' THEN nullif(${list}[2:-2], '') ELSE nullif(nullif(${text}, ''), 'null') END`
  )
}

/** Pairs are objects of `key` and `value`. */
export function tagsAreBroken(tags: string): string {
  const pairs = `try_cast(${tags} AS JSON)`
  return (
    `nullif(trim(${tags}), '') IS NOT NULL AND NOT coalesce(CASE json_type(${pairs}) ` +
    `WHEN 'OBJECT' THEN true WHEN 'NULL' THEN true WHEN 'ARRAY' THEN len(list_filter(CAST(${pairs} AS JSON[]), ` +
    `pair -> coalesce(json_extract_string(pair, '$.key'), json_extract_string(pair, '$.Key')) IS NULL)) = 0 ELSE false END, false)`
  )
}

export const tagsAtMost = 1_000
export const keyLengthAtMost = 512
export const valueLengthAtMost = 5_000

/** Of tags that are not broken. */
export function tagsAreTooLarge(tags: string): string {
  const json = `try_cast(${tags} AS JSON)`
  const either = (name: string, other: string) =>
    `coalesce(json_extract_string(tag, '$.${name}'), json_extract_string(tag, '$.${other}'))`
  const tooLong = (key: string, value: string) =>
    `coalesce(length(${key}) > ${keyLengthAtMost}, false) OR coalesce(length(${value}) > ${valueLengthAtMost}, false)`
  return (
    `coalesce(CASE json_type(${json}) ` +
    `WHEN 'OBJECT' THEN len(json_keys(${json})) > ${tagsAtMost} OR len(list_filter(` +
    `map_entries(from_json(${json}, '"MAP(VARCHAR,VARCHAR)"')), tag -> ${tooLong('tag.key', 'tag.value')})) > 0 ` +
    `WHEN 'ARRAY' THEN json_array_length(${json}) > ${tagsAtMost} OR len(list_filter(` +
    `CAST(${json} AS JSON[]), tag -> ${tooLong(either('key', 'Key'), either('value', 'Value'))})) > 0 ` +
    `ELSE false END, false)`
  )
}
