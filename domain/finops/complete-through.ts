/** After so many days a provider has written all charges of a day. */
const lagDays = (provider: string): number => (provider === 'aws' ? 1 : 2)

const dayMs = 86_400_000

/** The last day (YYYY-MM-DD) whose charges are complete: never past the bill's own last day. */
export function completeThrough(
  providers: readonly string[],
  lastDay: string | null,
  now: Date,
): string | null {
  if (lastDay === null) return null
  const lag = Math.max(1, ...providers.map(lagDays))
  const latest = new Date(now.getTime() - lag * dayMs).toISOString().slice(0, 10)
  return lastDay < latest ? lastDay : latest
}
