import { isUuid } from '../../domain/scim/is-uuid.ts'
import { nothing, type Indexed } from './filter-to-sql.ts'

/** Equality with a public id, by its index. False for text that is no id. */
export const idCondition = (text: string, value: string): Indexed => ({
  ...(isUuid(value) ? { text, bindings: [value] } : nothing),
  complete: true,
})
