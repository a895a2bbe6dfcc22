import type { CloudProvider } from './cloud-account.ts'

/**
 * A resource's id as the inventories of the clouds have it: an ARN, an Azure id in lower case, or
 * Google's full resource name (`//service.googleapis.com/…`).
 */
export type CloudId = { provider: CloudProvider; cloudId: string }

/** Of UTF-16 units, as PostgreSQL's `length` counts the same characters or fewer. */
const maxCloudIdLength = 2_000

/** The cloud id in a text that a provider wrote, or undefined: most texts are none. */
export function readCloudId(text: unknown): CloudId | undefined {
  if (typeof text !== 'string' || text.length < shortest) return undefined
  // A bound before any pattern: a hostile state can hold texts of megabytes.
  if (text.length > maxCloudIdLength || !isPlain(text)) return undefined
  if (text.startsWith('arn:')) return readArn(text)
  if (text.startsWith('/')) return readAzureId(text) ?? readGoogleName(text)
  return text.startsWith('https://') ? readSelfLink(text) : undefined
}

/**
 * Google's name out of the relative id that most of its resources have as `id`
 * (`projects/p/topics/t`), whose service only the type tells.
 */
export function readGoogleId(
  type: string,
  { id, name }: { id: unknown; name?: unknown },
): CloudId | undefined {
  if (typeof id !== 'string' || id.length > maxCloudIdLength || !isPlain(id)) return undefined
  if (!/^(projects|folders|organizations)\/[^/]/.test(id)) return undefined
  const service = serviceOfType(type)
  if (service === undefined) return undefined
  const isByNumber = service === 'secretmanager' && isSameByNumber(name, id)
  return google(service, isByNumber ? name : id)
}

/**
 * Whether this is the same path with the project's number. The inventory names secrets so, and of a state's texts only
 * `name` has the number.
 */
function isSameByNumber(name: unknown, id: string): name is string {
  if (typeof name !== 'string' || name.length > maxCloudIdLength) return false
  const path = /^projects\/[0-9]+(\/.+)$/.exec(name)?.[1]
  return path !== undefined && path === id.replace(/^projects\/[^/]+/, '')
}

/**
 * The `id` of a resource of EC2 whose state has no ARN (`nat-0abc…`). Settings have the id of what they
 * belong to, so the type must be that of the resource itself.
 */
export function readShortId(type: string, id: unknown): CloudId | undefined {
  if (typeof id !== 'string' || id.length > maxShortId) return undefined
  const kind = /^([a-z]+(?:-[a-z]+)*)-[0-9a-z]{8,17}$/.exec(id)?.[1]
  return kind !== undefined && typesOfShortIds.get(kind)?.includes(type)
    ? { provider: 'aws', cloudId: id }
    : undefined
}

const maxShortId = 50

/** By what their ids begin with, those that a bill names. */
const typesOfShortIds = new Map([
  ['eipalloc', ['aws_eip']],
  ['eni', ['aws_network_interface']],
  ['fl', ['aws_flow_log']],
  ['h', ['aws_ec2_host']],
  ['i', ['aws_instance']],
  ['nat', ['aws_nat_gateway']],
  ['snap', ['aws_ebs_snapshot', 'aws_ebs_snapshot_copy', 'aws_ebs_snapshot_import']],
  ['subnet', ['aws_subnet']],
  ['tgw', ['aws_ec2_transit_gateway']],
  [
    'tgw-attach',
    [
      'aws_ec2_transit_gateway_vpc_attachment',
      'aws_ec2_transit_gateway_peering_attachment',
      'aws_ec2_transit_gateway_connect',
    ],
  ],
  ['vgw', ['aws_vpn_gateway']],
  ['vol', ['aws_ebs_volume']],
  ['vpc', ['aws_vpc', 'aws_default_vpc']],
  ['vpce', ['aws_vpc_endpoint']],
  ['vpn', ['aws_vpn_connection']],
])

const shortest = 12

/** No control characters, no half of a surrogate pair: neither occurs in a real id. */
const isPlain = (text: string) => !/[^ -~\u00a0-\uffff]/.test(text) && text.isWellFormed()

function readArn(text: string): CloudId | undefined {
  // arn:partition:service:region:account:resource, with region and account empty where a service has none.
  if (!/^arn:aws[a-z-]*:[a-z0-9-]+:[a-z0-9-]*:[0-9a-z]*:./.test(text)) return undefined
  // The provider's older versions wrote a log group with `:*` behind its name; inventories do not.
  const isLogGroup = text.includes(':logs:') && text.endsWith(':*')
  return { provider: 'aws', cloudId: isLogGroup ? text.slice(0, -2) : text }
}

/** An id with `|` joins two ids: an association, which no inventory lists. */
function readAzureId(text: string): CloudId | undefined {
  const cloudId = text.toLowerCase()
  const isId = /^\/(subscriptions|providers)\/[^/|]+[^|]*$/.test(cloudId)
  return isId ? { provider: 'azure', cloudId } : undefined
}

function readGoogleName(text: string): CloudId | undefined {
  return /^\/\/[a-z0-9-]+\.googleapis\.com\/./.test(text)
    ? { provider: 'gcp', cloudId: text }
    : undefined
}

/** Two forms: `www.googleapis.com/<service>/<version>/…` and `<service>.googleapis.com/[<api>/]<version>/…`. */
function readSelfLink(text: string): CloudId | undefined {
  const found =
    /^https:\/\/([a-z0-9-]+)\.googleapis\.com\/(?:([a-z]+)\/)?(?:v\d[a-z0-9]*|alpha|beta)\/(.+)$/.exec(
      text,
    )
  const [, host = '', api, path = ''] = found ?? []
  const service = host === 'www' ? api : host
  return found && service !== undefined ? google(service, path) : undefined
}

function google(service: string, path: string): CloudId {
  const name = nameOfApi.get(service) ?? service
  // A bucket is `b/<name>` in its API and has no project in its full name.
  const rest = name === 'storage' ? path.replace(/^b\//, '') : path
  return { provider: 'gcp', cloudId: `//${name}.googleapis.com/${rest}` }
}

/** Where the full name has another service than the API's host. */
const nameOfApi = new Map([
  ['sqladmin', 'cloudsql'],
  ['bigtableadmin', 'bigtable'],
])

/** The service of a type by its beginning; the longest beginning wins. */
const serviceOfType = (type: string): string | undefined => {
  for (let end = type.length; end > 'google_'.length; end = type.lastIndexOf('_', end - 1)) {
    const service = services.get(type.slice('google_'.length, end))
    if (service !== undefined && type.startsWith('google_')) return service
  }
  return undefined
}

const services = new Map([
  ['alloydb', 'alloydb'],
  ['api_gateway', 'apigateway'],
  ['apigee', 'apigee'],
  ['artifact_registry', 'artifactregistry'],
  ['bigquery', 'bigquery'],
  ['bigtable', 'bigtable'],
  ['certificate_manager', 'certificatemanager'],
  ['cloud_run', 'run'],
  ['cloud_scheduler', 'cloudscheduler'],
  ['cloud_tasks', 'cloudtasks'],
  ['cloudbuild', 'cloudbuild'],
  ['cloudfunctions', 'cloudfunctions'],
  ['cloudfunctions2', 'cloudfunctions'],
  ['composer', 'composer'],
  ['compute', 'compute'],
  ['container', 'container'],
  ['dataflow', 'dataflow'],
  ['dataproc', 'dataproc'],
  ['dns', 'dns'],
  ['eventarc', 'eventarc'],
  ['filestore', 'file'],
  ['firestore', 'firestore'],
  ['gke_hub', 'gkehub'],
  ['iam_workload_identity_pool', 'iam'],
  ['kms', 'cloudkms'],
  ['logging', 'logging'],
  ['memcache', 'memcache'],
  ['monitoring', 'monitoring'],
  ['network_connectivity', 'networkconnectivity'],
  ['notebooks', 'notebooks'],
  ['privateca', 'privateca'],
  ['pubsub', 'pubsub'],
  ['redis', 'redis'],
  ['secret_manager', 'secretmanager'],
  ['spanner', 'spanner'],
  ['sql', 'cloudsql'],
  ['vertex_ai', 'aiplatform'],
  ['vpc_access', 'vpcaccess'],
  ['workbench', 'notebooks'],
  ['workflows', 'workflows'],
])
