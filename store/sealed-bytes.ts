/**
 * SQL: the size of what is sealed in the column `value`, without opening it. A sealed value begins with
 * 2 bytes, its key's id, a nonce and a tag.
 */
export const sealedBytes = `case when octet_length(value) > 30
  then octet_length(value) - 30 - get_byte(value, 1) else 0 end`
