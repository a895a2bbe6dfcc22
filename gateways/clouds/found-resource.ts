import type { FoundResource } from '../../domain/clouds/cloud-account.ts'

/**
 * A resource as the cloud named it. Its texts may hold any Unicode; PostgreSQL stores neither NUL nor half a
 * surrogate pair, so both become U+FFFD. Nothing is cut: a shortened id would name another resource.
 */
export function foundResource(found: FoundResource): FoundResource {
  const tags = Object.entries(found.tags).map(([key, value]) => [storable(key), storable(value)])
  return {
    cloudId: storable(found.cloudId),
    service: storable(found.service),
    type: storable(found.type),
    name: storable(found.name),
    region: storable(found.region),
    tags: Object.fromEntries(tags),
  }
}

const storable = (text: string): string => text.toWellFormed().replaceAll('\0', '\uFFFD')
