import type { AzureTarget, Cloud, CloudDeps, LendAsked } from '../cloud.ts'
import { azureBills } from './azure-bills.ts'
import { azureInventory } from './azure-inventory.ts'
import { azureSession } from './azure-session.ts'
import { lendAzure, tryAsRun } from './lend-azure.ts'
import { validateAzure } from './validate-azure.ts'

/** An Azure subscription or management group. Its calls go over connections of its own. */
export function openAzure(target: AzureTarget, deps: CloudDeps): Cloud {
  const kept = deps.outbound.keep()
  const session = azureSession(target, deps, kept)
  return {
    ...azureInventory(session),
    validate: async (signal) => {
      const tryRun = async (asked: LendAsked) => tryAsRun({ target, deps, kept }, asked)
      return validateAzure(session, { outbound: kept, tryRun, deps }, signal)
    },
    lend: async (asked) => lendAzure(target, deps, asked),
    bills: () => azureBills(session, kept),
    close: () => kept.close(),
  }
}
