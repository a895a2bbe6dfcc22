export type Allowance = {
  /** In how many seconds the organization has something left; 0 where it has. */
  waitSecondsOf(organizationId: number): number
  /** May use more than there is: the next one waits for it. */
  use(organizationId: number, amount: number): void
}

/** How much an organization may use in one process: `most` at once, regained evenly. */
export function createAllowance(
  { most, perSecond }: { most: number; perSecond: number },
  now: () => number = () => performance.now(),
): Allowance {
  const used = new Map<number, { amount: number; at: number }>()
  const usedNow = (organizationId: number): number => {
    const last = used.get(organizationId)
    return last ? Math.max(0, last.amount - ((now() - last.at) / 1_000) * perSecond) : 0
  }
  const forgetOld = () => {
    if (used.size <= 1_000) return
    for (const [organizationId] of used)
      if (usedNow(organizationId) === 0) used.delete(organizationId)
  }

  return {
    waitSecondsOf(organizationId) {
      const over = usedNow(organizationId) - most
      return over < 0 ? 0 : Math.max(1, Math.ceil(over / perSecond))
    },
    use(organizationId, amount) {
      forgetOld()
      used.set(organizationId, { amount: usedNow(organizationId) + amount, at: now() })
    },
  }
}
