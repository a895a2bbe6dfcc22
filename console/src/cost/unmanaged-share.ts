/** Of `getCost`, which leaves all out where there is no bill. */
type Cost = { total?: number; byOwner?: { unmanaged: number; unattributed: number } }

/** What has a resource. A credit without one makes the total smaller than what the resources cost. */
const ofResources = ({ total = 0, byOwner }: Cost): number => total - (byOwner?.unattributed ?? 0)

/** The part of the cost of resources that no workspace holds. */
export function unmanagedShare(cost: Cost): string {
  const whole = ofResources(cost)
  return whole > 0 ? `${((100 * (cost.byOwner?.unmanaged ?? 0)) / whole).toFixed(1)} %` : '–'
}

/** Why there is no resource that no workspace holds. */
export function noneUnmanagedWords(cost: Cost): string {
  if ((cost.total ?? 0) === 0) return 'No cost in this period.'
  return ofResources(cost) === 0
    ? 'No resource has cost in this period.'
    : 'A workspace held each resource with cost in this period.'
}
