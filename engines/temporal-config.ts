import type { KeyPair, TemporalKeys } from './temporal-keys.ts'

export type TemporalPorts = {
  frontend: number
  frontendMembership: number
  history: number
  historyMembership: number
  matching: number
  matchingMembership: number
  worker: number
  workerMembership: number
}

type ConfigInput = {
  ports: TemporalPorts
  postgresPort: number
  role: string
  password: string
  dynamicConfigFile: string
  keys: TemporalKeys
}

/**
 * The server's configuration file, as JSON, which is also YAML. All ports listen on 127.0.0.1 and
 * require a client certificate of this installation. There is no HTTP port.
 */
export function temporalConfig(input: ConfigInput): string {
  const { ports } = input
  const service = (grpcPort: number, membershipPort: number) => ({
    rpc: { grpcPort, membershipPort, bindOnLocalHost: true },
  })
  const off = { state: 'disabled' }

  return JSON.stringify(
    {
      log: { stdout: true, level: 'warn' },
      persistence: {
        defaultStore: 'default',
        visibilityStore: 'visibility',
        // Temporal cannot change it on an existing database.
        numHistoryShards: 4,
        datastores: {
          default: sqlOf(input, 'temporal', 20),
          visibility: sqlOf(input, 'temporal_visibility', 10),
        },
      },
      global: {
        membership: { maxJoinDuration: '30s', broadcastAddress: '127.0.0.1' },
        // 0 turns the profiler's port off.
        pprof: { port: 0 },
        tls: tlsOf(input.keys),
      },
      services: {
        frontend: service(ports.frontend, ports.frontendMembership),
        history: service(ports.history, ports.historyMembership),
        matching: service(ports.matching, ports.matchingMembership),
        worker: service(ports.worker, ports.workerMembership),
      },
      clusterMetadata: clusterOf(ports),
      dcRedirectionPolicy: { policy: 'noop' },
      archival: { history: off, visibility: off },
      namespaceDefaults: { archival: { history: off, visibility: off } },
      publicClient: { hostPort: `127.0.0.1:${ports.frontend}` },
      dynamicConfigClient: { filepath: input.dynamicConfigFile, pollInterval: '60s' },
    },
    null,
    2,
  )
}

function sqlOf(
  { postgresPort, role, password }: ConfigInput,
  databaseName: string,
  maxConns: number,
) {
  return {
    sql: {
      pluginName: 'postgres12_pgx',
      databaseName,
      connectAddr: `127.0.0.1:${postgresPort}`,
      connectProtocol: 'tcp',
      user: role,
      password,
      maxConns,
      maxIdleConns: maxConns,
      maxConnLifetime: '1h',
    },
  }
}

const clusterOf = ({ frontend }: TemporalPorts) => ({
  enableGlobalNamespace: false,
  failoverVersionIncrement: 10,
  masterClusterName: 'active',
  currentClusterName: 'active',
  clusterInformation: {
    active: {
      enabled: true,
      initialFailoverVersion: 1,
      rpcName: 'frontend',
      rpcAddress: `127.0.0.1:${frontend}`,
    },
  },
})

/** Mutual TLS: between clients and the frontend, and between the services. */
function tlsOf({ caFile, server, internode }: TemporalKeys) {
  const listener = ({ certFile, keyFile }: KeyPair) => ({
    certFile,
    keyFile,
    requireClientAuth: true,
    clientCaFiles: [caFile],
  })
  const toFrontend = { serverName: server.serverName, rootCaFiles: [caFile] }
  return {
    internode: {
      server: listener(internode),
      client: { serverName: internode.serverName, rootCaFiles: [caFile] },
    },
    frontend: { server: listener(server), client: toFrontend },
    systemWorker: {
      certFile: internode.certFile,
      keyFile: internode.keyFile,
      client: toFrontend,
    },
  }
}

/** Dynamic settings for a single host with low latency. */
export function temporalDynamicConfig(): string {
  const settings: Record<string, unknown> = {
    // TLS on the membership ports. Otherwise any user of the host could add or remove members of the ring.
    'system.enableRingpopTLS': true,
    // Fairness between organizations. One partition, because each partition would only be fair by itself.
    'matching.enableFairness': true,
    'matching.numTaskqueueReadPartitions': 1,
    'matching.numTaskqueueWritePartitions': 1,
    // All services see a new namespace and its search attributes within a second.
    'system.namespaceCacheRefreshInterval': '1s',
    // No load balancer needs time to drain, so a stop is quick.
    'frontend.shutdownDrainDuration': '0s',
    'history.shutdownDrainDuration': '0s',
    'matching.shutdownDrainDuration': '0s',
    // Limits of a payload's size.
    'limit.blobSize.error': 2 * 1024 * 1024,
    'limit.blobSize.warn': 512 * 1024,
  }
  return JSON.stringify(
    Object.fromEntries(Object.entries(settings).map(([key, value]) => [key, [{ value }]])),
    null,
    2,
  )
}
