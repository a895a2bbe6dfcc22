import { readPath, type PathStep } from '../infrastructure/attribute-path.ts'
import { isRecord, own } from '../infrastructure/record.ts'

/** By attribute path, as an entry of the price book matches them: `{ "settings[0].tier": "db-f1-micro" }`. */
export type SizeAttributes = Record<string, string | number | boolean>

/**
 * What of an object decides its price: its place and its size. A fixed list, so that no other attribute
 * of a state is ever kept, and of these only plain values of bounded length.
 */
export function readSizeAttributes(
  attributes: unknown,
  isSecret: (name: string, value: unknown) => boolean,
): SizeAttributes {
  const found: SizeAttributes = {}
  if (!isRecord(attributes)) return found
  // By the object's own names, which are fewer than those of the list.
  for (const name of Object.keys(attributes))
    for (const { path, steps } of pathsOf.get(name) ?? []) {
      let value = attributes[name]
      for (const step of steps) value = own(value, step)
      if (isPlain(value) && !isSecret(name, value)) found[path] = value
    }
  return found
}

const isPlain = (value: unknown): value is string | number | boolean =>
  typeof value === 'string'
    ? value !== '' && value.length <= maxValueLength && /^[\x20-\x7e]*$/.test(value)
    : typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value))

const maxValueLength = 100

/** Those of the AWS, Azure and Google providers, in alphabetical order. */
const names = [
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

const pathsOf = new Map<string, Array<{ path: string; steps: PathStep[] }>>()
for (const path of names) {
  const [first, ...steps] = readPath(path) ?? []
  const name = String(first)
  pathsOf.set(name, [...(pathsOf.get(name) ?? []), { path, steps }])
}
