/**
 * Resource types of providers that only keep values and files: free unless an entry of the price book
 * matches. A provider is recognized by its name, so a mirror counts too, and its types by that name
 * before the first `_`.
 */
export function isFreeType(resourceType: string, providerName: string): boolean {
  if (freeTypes.has(resourceType)) return true
  const provider = providerName.slice(providerName.lastIndexOf('/') + 1)
  return utilityProviders.has(provider) && resourceType.startsWith(`${provider}_`)
}

const freeTypes = new Set(['terraform_data', 'external', 'http'])
const utilityProviders = new Set(['null', 'random', 'local', 'tls', 'time', 'external', 'http'])
