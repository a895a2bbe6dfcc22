import { readPath, type PathStep } from '../infrastructure/attribute-path.ts'
import { isRecord, own } from '../infrastructure/record.ts'

/** By attribute path, as an entry of the price book matches them: `{ "settings[0].tier": "db-f1-micro" }`. */
export type SizeAttributes = Record<string, string | number | boolean>

/**
 * Reads what of an object decides its price, its place and its size, as the JSON of `SizeAttributes`. A
 * fixed list, so that no other attribute of a state is ever kept, and of these only plain values of
 * bounded length. As JSON at once, for to make 10,000 objects and then their texts takes longer.
 */
export function createSizeReader(): (attributes: unknown, isSecret: IsSecret) => string {
  // Objects of one type have the same names and lie together in a state, so these are looked up once.
  let names: readonly string[] = []
  let listed: Listed[] = []
  return (attributes, isSecret) => {
    if (!isRecord(attributes)) return '{}'
    const given = Object.keys(attributes)
    if (given.length !== names.length || given.some((name, at) => name !== names[at])) {
      names = given
      listed = given.flatMap((name) => pathsOf.get(name) ?? [])
    }
    let json = ''
    for (const { key, name, steps } of listed) {
      const value = valueAt(attributes[name], steps)
      if (isPlain(value) && !isSecret(name, value)) json += key + JSON.stringify(value)
    }
    return `{${json.slice(1)}}`
  }
}

type IsSecret = (name: string, value: unknown) => boolean

function valueAt(value: unknown, steps: readonly PathStep[]): unknown {
  let found = value
  for (const step of steps) found = own(found, step)
  return found
}

const isPlain = (value: unknown): value is string | number | boolean =>
  typeof value === 'string'
    ? value !== '' && value.length <= maxValueLength && /^[\x20-\x7e]*$/.test(value)
    : typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value))

const maxValueLength = 100

/** Those of the AWS, Azure and Google providers, in alphabetical order. */
const sizePaths = [
  'allocated_storage',
  'availability_zone',
  'boot_disk[0].initialize_params[0].size',
  'boot_disk[0].initialize_params[0].type',
  'capacity',
  'cpu',
  'cpu_core_count',
  'db_instance_class',
  'default_node_pool[0].node_count',
  'default_node_pool[0].vm_size',
  'desired_capacity',
  'disk_size',
  'disk_size_gb',
  'disk_type',
  'ebs_optimized',
  'engine',
  'instance_class',
  'instance_type',
  'iops',
  'kind',
  'launch_type',
  'load_balancer_type',
  'location',
  'machine_type',
  'max_size_gb',
  'memory',
  'memory_size',
  'memory_size_gb',
  'multi_az',
  'node_config[0].disk_size_gb',
  'node_config[0].machine_type',
  'node_count',
  'node_type',
  'num_cache_nodes',
  'num_nodes',
  'number_of_nodes',
  'os_type',
  'priority',
  'region',
  'root_block_device[0].volume_size',
  'root_block_device[0].volume_type',
  'settings[0].availability_type',
  'settings[0].disk_size',
  'settings[0].disk_type',
  'settings[0].tier',
  'size',
  'sku',
  'sku[0].capacity',
  'sku[0].name',
  'sku[0].tier',
  'sku_name',
  'sku_tier',
  'storage_account_type',
  'storage_class',
  'storage_mb',
  'storage_type',
  'tenancy',
  'throughput',
  'tier',
  'type',
  'vm_size',
  'volume_type',
  'worker_count',
  'zone',
]

/** `key`: with the comma before it and the colon behind it. */
type Listed = { key: string; name: string; steps: PathStep[] }
const pathsOf = new Map<string, Listed[]>()
for (const path of sizePaths) {
  const [first, ...steps] = readPath(path) ?? []
  const name = String(first)
  const key = `,${JSON.stringify(path)}:`
  pathsOf.set(name, [...(pathsOf.get(name) ?? []), { key, name, steps }])
}
