import type { AzureTarget, Cloud, CloudDeps } from '../cloud.ts'
import { azureInventory } from './azure-inventory.ts'
import { azureSession } from './azure-session.ts'
import { validateAzure } from './validate-azure.ts'

/** An Azure subscription or management group. Its calls go over connections of its own. */
export function openAzure(target: AzureTarget, deps: CloudDeps): Cloud {
  const kept = deps.outbound.keep()
  const session = azureSession(target, deps, kept)
  return {
    ...azureInventory(session),
    validate: async (signal) => validateAzure(session, kept, signal),
    close: () => kept.close(),
  }
}
