/** Where a day begins in the viewer's time zone, which all times on a page use, as an instant for the API. */
export function momentOfDay(day: string, later: 0 | 1): string {
  const [year, month, date] = day.split('-').map(Number)
  if (!/^\d{4}-\d\d-\d\d$/.test(day) || !year || !month || !date) return day
  return new Date(year, month - 1, date + later).toISOString()
}
