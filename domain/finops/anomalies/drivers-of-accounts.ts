export type Driver = {
  dimension: 'region' | 'subAccount' | 'sku' | 'resource' | 'tag'
  value: string
  amount: number
  share: number
}
type OfAccount = { subAccountId: string | null; impact: number }

const most = 3

/**
 * What raised an anomaly of several sub-accounts: these, by their own excess, and then what raised the
 * dearest of them, as shares of the whole excess. `children` may be the dearest of many.
 */
export function driversOfAccounts(
  drivers: readonly Driver[],
  own: OfAccount,
  { children, whole }: { children: readonly OfAccount[]; whole: number },
): Driver[] {
  if (children.length === 0) return [...drivers]
  const shareOf = (amount: number) =>
    whole > 0 ? Math.round(Math.min(1, amount / whole) * 1e4) / 1e4 : 0
  const accounts = [own, ...children]
    .flatMap(({ subAccountId, impact }) =>
      subAccountId === null || impact <= 0
        ? []
        : [
            {
              dimension: 'subAccount' as const,
              value: subAccountId,
              amount: impact,
              share: shareOf(impact),
            },
          ],
    )
    .toSorted((a, b) => b.amount - a.amount)
    .slice(0, most)
  return [...accounts, ...drivers.map((driver) => ({ ...driver, share: shareOf(driver.amount) }))]
}
