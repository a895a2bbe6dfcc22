import type { DemoResource } from './demo-resource.ts'

/**
 * What happens beside the usual course, by days before the demo's first day. With the workers of demo-shop
 * (aws-services.ts) and the new assistants (azure-services.ts) these are the five anomalies.
 */
export function eventFactor({ service, account, name }: DemoResource, daysAgo: number): number {
  // Queries that nobody bounded.
  if (service === 'BigQuery' && name === 'mart-2' && (daysAgo === 3 || daysAgo === 2)) return 16
  // Debug logs that were left on.
  if (service === 'Azure Monitor' && account.name === 'back-office')
    return daysAgo <= 24 && daysAgo >= 21 ? 2.6 : 1
  // A job that reads through a NAT gateway, more every day until it is found.
  if (service === 'Amazon Virtual Private Cloud' && account.name === 'data-platform')
    return daysAgo <= 82 && daysAgo >= 71 ? 1 + 0.09 * (83 - daysAgo) : 1
  // One of the servers of the reservation is switched off, and half of another's hours.
  if (service === 'Virtual Machines' && /^erp-[45]$/.test(name) && daysAgo <= 45) return 0.4
  return 1
}
