import type { Workbench } from '../sandbox/workbench.ts'

/** Settings of the steps that have a network: the state of the workspace, and the proxy. */
export const connectedSettings = (bench: Workbench, token: string): Record<string, string> => ({
  TF_HTTP_ADDRESS: bench.stateUrl,
  TF_HTTP_LOCK_ADDRESS: bench.stateUrl,
  TF_HTTP_UNLOCK_ADDRESS: bench.stateUrl,
  TF_HTTP_USERNAME: 'run',
  TF_HTTP_PASSWORD: token,
  // Together about a minute: enough for a restart of the API.
  TF_HTTP_RETRY_MAX: '12',
  TF_HTTP_RETRY_WAIT_MIN: '1',
  TF_HTTP_RETRY_WAIT_MAX: '5',
  HTTPS_PROXY: bench.proxyUrl,
  HTTP_PROXY: bench.proxyUrl,
  NO_PROXY: '127.0.0.1,localhost',
})
