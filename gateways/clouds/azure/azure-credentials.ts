import type { HttpClient } from '@azure/core-rest-pipeline'
import type { TokenCredential } from '@azure/core-auth'
import type { AzureTarget, CloudDeps } from '../cloud.ts'
import { authority } from './azure-http-client.ts'

/** The application's secret, or a token of the organization's issuer in its place (RFC 7523). Nothing else. */
export async function azureCredentials(
  { credentials }: AzureTarget,
  deps: CloudDeps,
  httpClient: HttpClient,
): Promise<TokenCredential> {
  const { ClientAssertionCredential, ClientSecretCredential } = await import('@azure/identity')
  const { tenantId, clientId, clientSecret } = credentials
  const options = {
    // Given, so that AZURE_AUTHORITY_HOST of this process is not read.
    authorityHost: authority,
    httpClient,
    // It would ask Microsoft which hosts are its own, also about an account with an endpoint of its own.
    disableInstanceDiscovery: true,
    retryOptions: { maxRetries: 1, retryDelayInMs: 500 },
  }
  return clientSecret === undefined
    ? new ClientAssertionCredential(
        tenantId,
        clientId,
        async () => deps.webIdentity('api://AzureADTokenExchange'),
        options,
      )
    : new ClientSecretCredential(tenantId, clientId, clientSecret, options)
}
