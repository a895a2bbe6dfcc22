import type { CloudProvider } from './cloud-account.ts'
import { refuseField } from './refuse-field.ts'

/**
 * Refuses the names of regions that cannot be the provider's. Azure's query is made of them: without one that is left,
 * it would list nothing.
 */
export function checkRegions(provider: CloudProvider, regions: readonly string[]): void {
  if (provider !== 'azure') return
  for (const [at, region] of regions.entries())
    if (!/^[a-z0-9]+$/.test(region))
      throw refuseField(
        `regions.${at}`,
        'is no region of Azure, whose names are letters and digits, such as westeurope',
      )
}
