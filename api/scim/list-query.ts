import { Type, type Static } from 'typebox'
import { parseFilter } from '../../domain/scim/parse-filter.ts'
import { quoted, refusal } from '../../domain/scim/refusals.ts'
import { resolveFilter } from '../../domain/scim/resolve-filter.ts'
import type { ResourceSchema } from '../../domain/scim/schemas.ts'
import { filterToSql, type FilterColumns } from '../../store/scim/filter-to-sql.ts'
import type { ListPage } from '../../store/scim/list-in-bytes.ts'

/** Unknown parameters are ignored: Entra ID adds one of its own (docs/identity.md). */
export const ShownQuery = Type.Object({
  attributes: Type.Optional(Type.String({ maxLength: 4_000 })),
  excludedAttributes: Type.Optional(Type.String({ maxLength: 4_000 })),
})

export const ListQuery = Type.Object({
  ...ShownQuery.properties,
  // Longer filters are refused by the filter's parser, with a clearer error.
  filter: Type.Optional(Type.String({ maxLength: 8_000 })),
  startIndex: Type.Optional(Type.String({ maxLength: 20 })),
  count: Type.Optional(Type.String({ maxLength: 20 })),
})

export const maxCount = 200
const defaultCount = 100

/** RFC 7644 3.4.2.4: indexes start at 1, lower ones count as 1, and a page has at most 200. */
export function listPage(
  { filter, startIndex, count }: Static<typeof ListQuery>,
  { schema, columns }: { schema: ResourceSchema; columns: FilterColumns },
): ListPage {
  const start = integer('startIndex', startIndex) ?? 1
  const wanted = integer('count', count) ?? defaultCount
  const text = filter?.trim()
  return {
    filter: text ? filterToSql(columns, resolveFilter(schema, parseFilter(text))) : undefined,
    startIndex: Math.min(Math.max(start, 1), 2_147_483_647),
    count: Math.min(Math.max(wanted, 0), maxCount),
  }
}

function integer(name: string, text: string | undefined): number | undefined {
  if (text === undefined || text === '') return undefined
  if (!/^[+-]?\d{1,18}$/.test(text))
    throw refusal('invalidValue', `${name} is a number, not ${quoted(text)}.`)
  return Number(text)
}
