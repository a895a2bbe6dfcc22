/** SQL: columns of a table under their names in code, `r.workspace_id as "workspaceId"`. */
export const selectList = (table: string, columns: readonly string[]): string =>
  columns
    .map(
      (column) =>
        `${table}.${column.replace(/[A-Z]/g, (c) => `_${c.toLowerCase()}`)} as "${column}"`,
    )
    .join(', ')
