/** What one euro is in a currency. */
export type ReferenceRate = { currency: string; /** Decimal text. */ rate: string }

/** The euro reference rates of one day. */
export type ReferenceDay = { day: string; rates: ReferenceRate[] }

const maxLines = 5_000
const wanted = ['CURRENCY', 'CURRENCY_DENOM', 'TIME_PERIOD', 'OBS_VALUE'] as const

/**
 * The rates of the first day that has some, out of the European Central Bank's answer in CSV (SDMX-CSV of the
 * dataflow EXR). `before`: a day that is not over may still get further rates. `none`: it has no day yet.
 * Undefined where the text is no such answer.
 */
export function firstReferenceDay(
  csv: string,
  { month, before }: { month: string; before: string },
): ReferenceDay | 'none' | undefined {
  const [head = '', ...lines] = csv.replace(/^\uFEFF/, '').split(/\r?\n/)
  const names = head.split(',')
  const [currencyAt = -1, baseAt = -1, dayAt = -1, valueAt = -1] = wanted.map((name) =>
    names.indexOf(name),
  )
  if (Math.min(currencyAt, baseAt, dayAt, valueAt) < 0 || lines.length > maxLines) return undefined
  const days = new Map<string, Map<string, string>>()
  for (const line of lines) {
    if (line === '') continue
    const cells = line.split(',')
    // A quoted cell could have a comma, and move the others.
    if (cells.length !== names.length || line.includes('"')) return undefined
    const [currency, base, day, value] = [currencyAt, baseAt, dayAt, valueAt].map(
      (at) => cells[at] ?? '',
    ) as [string, string, string, string]
    if (base !== 'EUR' || !/^[A-Z]{3}$/.test(currency) || !isDay(day)) return undefined
    // A day without a rate is listed without a value, or with NaN.
    if (!isRate(value) || !day.startsWith(`${month}-`) || day >= before) continue
    const rates = days.get(day) ?? new Map<string, string>()
    days.set(day, rates.set(currency, value))
  }
  const [first] = [...days].toSorted(([one], [other]) => (one < other ? -1 : 1))
  if (!first) return 'none'
  const rates = [...first[1]].map(([currency, rate]) => ({ currency, rate }))
  return { day: first[0], rates }
}

const isDay = (text: string): boolean => /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$/.test(text)

const isRate = (text: string): boolean =>
  /^\d{1,12}(\.\d{1,12})?$/.test(text) && !/^[0.]+$/.test(text)
