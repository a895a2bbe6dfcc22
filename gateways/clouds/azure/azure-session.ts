import type { ResourceGraphClient } from '@azure/arm-resourcegraph'
import type { TokenCredential } from '@azure/core-auth'
import type { HttpClient } from '@azure/core-rest-pipeline'
import type { KeptOutbound } from '../../outbound/outbound.ts'
import type { AzureTarget, CloudDeps } from '../cloud.ts'
import { CloudFault } from '../cloud-fault.ts'
import { azureCredentials } from './azure-credentials.ts'
import {
  authority,
  type AzureOrigins,
  azureHttpClient,
  resourceManager,
} from './azure-http-client.ts'
import { azureFault } from './azure-refusal.ts'

export type AzureSession = {
  target: AzureTarget
  /** `/subscriptions/<id>`, or the management group's. */
  scope: string
  /** What a failed call that needs the right `action` means. */
  fault(error: unknown, action: string): Error
  graph(): Promise<ResourceGraphClient>
  /** A document of Resource Manager. */
  get(path: string, of: { action: string; signal?: AbortSignal | undefined }): Promise<unknown>
  /** A token for a service of Azure, by its address. */
  token(audience: string, signal?: AbortSignal): Promise<string>
  /** For the client of another of Azure's services, such as Storage. */
  credential: TokenCredential
}

export function azureSession(
  target: AzureTarget,
  deps: CloudDeps,
  kept: KeptOutbound,
): AzureSession {
  const httpClient = azureHttpClient(kept, originsOf(target))
  const scope = target.accountId.startsWith('managementGroups/')
    ? `/providers/Microsoft.Management/${target.accountId}`
    : `/subscriptions/${target.accountId}`
  let credential: ReturnType<typeof azureCredentials> | undefined
  let client: Promise<ResourceGraphClient> | undefined
  const signIn = async () => (credential ??= azureCredentials(target, deps, httpClient))
  const graph = async () => (client ??= makeClient(await signIn(), httpClient))

  const fault = (error: unknown, action: string) =>
    azureFault(httpClient.signInFailure ?? error, action)

  return {
    target,
    scope,
    graph,
    fault,
    async get(path, { action, signal }) {
      try {
        const { createPipelineRequest } = await import('@azure/core-rest-pipeline')
        const { pipeline } = await graph()
        const abort = signal && { abortSignal: signal }
        const request = createPipelineRequest({ url: `${resourceManager}${path}`, ...abort })
        const { status, bodyAsText } = await pipeline.sendRequest(httpClient, request)
        return documentOf(status, bodyAsText ?? '')
      } catch (error) {
        throw fault(error, action)
      }
    },
    async token(audience, signal) {
      const own = await signIn()
      const abort = signal ? { abortSignal: signal } : {}
      const token = await own.getToken(`${audience}/.default`, abort).catch((error: unknown) => {
        throw fault(error, 'a token')
      })
      if (!token) throw new CloudFault('credentials', 'Azure gave no token for the credentials.')
      return token.token
    },
    credential: {
      getToken: async (scopes, options) => (await signIn()).getToken(scopes, options),
    },
  }
}

function originsOf({ endpoints }: AzureTarget): AzureOrigins {
  const { identity, resources } = endpoints
  return new Map([
    ...(identity === undefined ? [] : [[authority, identity] as const]),
    ...(resources === undefined ? [] : [[resourceManager, resources] as const]),
  ])
}

async function makeClient(
  credential: Awaited<ReturnType<typeof azureCredentials>>,
  httpClient: HttpClient,
): Promise<ResourceGraphClient> {
  const { ResourceGraphClient } = await import('@azure/arm-resourcegraph')
  return new ResourceGraphClient(credential, {
    endpoint: resourceManager,
    httpClient,
    // Waits as long as Retry-After says; azure-http-client.ts bounds that.
    retryOptions: { maxRetries: 8, retryDelayInMs: 500, maxRetryDelayInMs: 20_000 },
    // Its policies would follow redirects, and read the proxy of this process, by themselves.
    redirectOptions: { maxRetries: 0 },
  })
}

function documentOf(status: number, text: string): unknown {
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch {
    body = undefined
  }
  if (status < 300 && typeof body === 'object' && body !== null) return body
  const refusal = status < 300 ? {} : errorIn(body)
  throw Object.assign(new Error(refusal.message ?? ''), { code: refusal.code, statusCode: status })
}

/** `{ error: { code, message } }` (Microsoft REST API Guidelines 7.10.2). */
function errorIn(body: unknown): { code?: string; message?: string } {
  if (typeof body !== 'object' || body === null || !('error' in body)) return {}
  const { error } = body
  if (typeof error !== 'object' || error === null) return {}
  return {
    ...('code' in error && { code: String(error.code) }),
    ...('message' in error && { message: String(error.message) }),
  }
}
