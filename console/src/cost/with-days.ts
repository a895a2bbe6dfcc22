type Days = { from?: string; to?: string }

/** The search with another day; one that is undefined leaves it. */
export function withDays<Search extends Days>(
  search: Search,
  changed: { from?: string | undefined; to?: string | undefined },
): Omit<Search, keyof Days> & Days {
  const { from, to, ...others } = search
  const days = { from, to, ...changed }
  return {
    ...others,
    ...(days.from !== undefined && { from: days.from }),
    ...(days.to !== undefined && { to: days.to }),
  }
}
