/** SQL: a text, of one that is too long its beginning and an ellipsis: as many characters in all. */
export const cutText = (text: string, length: number): string =>
  `case when length(${text}) > ${length} then left(${text}, ${length - 1}) || '…' else ${text} end`
