/**
 * Types of providers that keep values and files but rent nothing: free unless the organization's
 * price book has an entry that matches. A provider is known by its own
 * name, so that a mirror of it counts too, and its types by that name before the first `_`.
 */
export function isFreeType(resourceType: string, providerName: string): boolean {
  if (freeTypes.has(resourceType)) return true
  const provider = providerName.slice(providerName.lastIndexOf('/') + 1)
  return utilityProviders.has(provider) && resourceType.startsWith(`${provider}_`)
}

const freeTypes = new Set(['terraform_data', 'external', 'http'])
const utilityProviders = new Set(['null', 'random', 'local', 'tls', 'time', 'external', 'http'])
