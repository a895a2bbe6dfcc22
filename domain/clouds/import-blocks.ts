import { awsRules, azureRules, googleRules, type Arn, type ImportRule } from './import-rules.ts'

export type Importable = {
  /** Of another one than the three clouds' there is no rule. */
  provider: string
  cloudId: string
  name: string
  region: string
  /** The inventory's, where it is known. */
  type?: string
  state?: 'present' | 'gone'
  /** Whose state holds it already. */
  workspace?: { name: string; address: string } | null
}

/**
 * `import` blocks of OpenTofu for these resources. Ids and names are a tenant's or its cloud's: each id
 * stands in a quoted template without interpolation, each name is made an identifier, and a comment is
 * one line, so none of them adds a block of its own.
 */
export function importBlocks(resources: Iterable<Importable>): string {
  const taken = new Set<string>()
  const blocks = [...resources].map((resource) => {
    const { workspace } = resource
    if (workspace)
      return `# ${quote(resource.cloudId)} is ${quote(workspace.address)} of the workspace ${quote(workspace.name)}.\n`
    return importBlock(resource, taken)
  })
  return [header, ...blocks].join('\n')
}

/** The block of one resource alone; `taken`: addresses of others beside it. */
export function importBlock(resource: Importable, taken: Set<string> = new Set()): string {
  const { cloudId, region, state } = resource
  if (state === 'gone') return `# ${quote(cloudId)} is gone: there is nothing to import.\n`
  const rule = importRule(resource)
  if (!rule) return withoutRule(cloudId)
  return [
    ...(region === '' ? [] : [`# in ${quote(region)}`]),
    'import {',
    `  to = ${nameOf(rule.type, resource, taken)}`,
    `  id = ${quote(rule.id)}`,
    '}\n',
  ].join('\n')
}

const withoutRule = (cloudId: string): string =>
  /^\/\/iam\.googleapis\.com\/.*\/serviceAccounts\/[^/]+$/.test(cloudId)
    ? `# ${quote(cloudId)} is imported by its email, which the inventory does not have: google_service_account.\n`
    : `# There is no rule for ${quote(cloudId)}: look up its type.\n`

/** The type and import id of a resource, or undefined where the table has no rule or the inventory not its id. */
export function importRule(resource: Importable): ImportRule | undefined {
  const { provider, cloudId } = resource
  if (provider === 'aws') return awsRule(cloudId)
  if (provider === 'azure') return azureRule(cloudId)
  return provider === 'gcp' ? googleRule(resource) : undefined
}

const header = `# tofu plan -generate-config-out=generated.tf writes the resources of these blocks.
`

function awsRule(arn: string): ImportRule | undefined {
  const [, partition = '', service = '', region = '', account = '', ...parts] = arn.split(':')
  const resource = parts.join(':').replace(/^\//, '')
  const at = resource.search(/[/:]/)
  const kind = at < 0 ? '' : resource.slice(0, at)
  const rest = resource.slice(at + 1)
  const [type, id] = own(awsRules, `${service}:${kind}`) ?? []
  if (type === undefined || rest === '') return undefined
  const parsed: Arn = { arn, partition, service, region, account, rest }
  // An application or network load balancer is `loadbalancer/app|net/…`, a classic one a name alone.
  if (type === 'aws_lb' && !rest.includes('/')) return { type: 'aws_elb', id: rest }
  // What lies below a REST API or a layer's version is something else.
  if (service === 'apigateway' && rest.includes('/')) return undefined
  const found = id ? id(parsed) : rest
  return found === undefined ? undefined : { type, id: found }
}

function googleRule({ cloudId, type: assetType, name }: Importable): ImportRule | undefined {
  const found = /^\/\/([a-z0-9-]+)\.googleapis\.com\/(.+)$/.exec(cloudId)
  const [, service = '', path = ''] = found ?? []
  if (service === 'storage')
    return path.includes('/') ? undefined : { type: 'google_storage_bucket', id: path }
  const steps = path.split('/')
  if (steps.length % 2 === 1 && !steps.includes('global')) return undefined
  const collection = steps.at(-2) ?? ''
  const type =
    own(googleRules, `${service}/${collection}`) ??
    own(googleRules, `${service}/${steps[2] ?? ''}/${collection}`)
  if (type === undefined) return undefined
  if (type === 'google_service_account') return serviceAccountRule(steps, name)
  // Both generations have the same path.
  if (assetType === 'cloudfunctions.googleapis.com/CloudFunction')
    return { type: 'google_cloudfunctions_function', id: namesOf(path) }
  return { type, id: service === 'container' ? clusterId(type, path) : path }
}

/** A cluster of a zone is under `zones` in its name and under `locations` in its import id; a pool's has the names alone. */
const clusterId = (type: string, path: string): string =>
  type === 'google_container_cluster' ? path.replace('/zones/', '/locations/') : namesOf(path)

const namesOf = (path: string): string =>
  path
    .split('/')
    .filter((_, at) => at % 2 === 1)
    .join('/')

/** The inventory's id ends with the account's unique id, and its import id with its email. */
function serviceAccountRule(steps: readonly string[], name: string): ImportRule | undefined {
  const email = [steps.at(-1) ?? '', name].find((text) => isEmailOfAccount.test(text))
  return email === undefined
    ? undefined
    : { type: 'google_service_account', id: [...steps.slice(0, -1), email].join('/') }
}

const isEmailOfAccount = /^[a-z0-9-]{1,63}@[a-z0-9.-]{1,100}\.gserviceaccount\.com$/

/** The names stay in lower case, as inventories give them; Azure does not tell them apart. */
function azureRule(cloudId: string): ImportRule | undefined {
  const group = /^\/subscriptions\/([^/]+)\/resourcegroups\/([^/]+)$/.exec(cloudId)
  if (group)
    return {
      type: 'azurerm_resource_group',
      id: `/subscriptions/${group[1]}/resourceGroups/${group[2]}`,
    }
  const found =
    /^\/subscriptions\/([^/]+)\/resourcegroups\/([^/]+)\/providers\/([^/]+)\/(.+)$/.exec(cloudId)
  const [, subscription, resourceGroup, namespace, path = ''] = found ?? []
  const steps = path.split('/')
  const kinds = steps.filter((_, at) => at % 2 === 0)
  const known = found && azureTypes.get([namespace, ...kinds].join('/'))
  if (!known || steps.length % 2 === 1) return { type: 'azapi_resource', id: cloudId }
  const [cased = '', ...casedKinds] = known.name.split('/')
  const casedPath = casedKinds.flatMap((kind, at) => [kind, steps[at * 2 + 1] ?? ''])
  return {
    type: known.type,
    id: `/subscriptions/${subscription}/resourceGroups/${resourceGroup}/providers/${[cased, ...casedPath].join('/')}`,
  }
}

const azureTypes = new Map(
  Object.entries(azureRules).map(([name, type]) => [name.toLowerCase(), { name, type }]),
)

/** A table's own entries alone: a service may be called `constructor`. */
const own = <T>(table: Readonly<Record<string, T>>, key: string): T | undefined =>
  Object.hasOwn(table, key) ? table[key] : undefined

/** An address that no other block has. */
function nameOf(type: string, { name, cloudId }: Importable, taken: Set<string>): string {
  const text = (name || cloudId.slice(-maxName)).toLowerCase().slice(0, maxName)
  const plain = text.replaceAll(/[^a-z0-9_]+/g, '_').replaceAll(/^_+|_+$/g, '')
  const identifier = /^[a-z]/.test(plain) ? plain : `r_${plain}`
  let address = `${type}.${identifier}`
  for (let n = 2; taken.has(address); n += 1) address = `${type}.${identifier}_${n}`
  taken.add(address)
  return address
}

const maxName = 60

/** A quoted template of HCL without interpolation or control characters, in one line. */
const quote = (text: string): string =>
  `"${text
    .toWellFormed()
    .replaceAll(/["\\]/g, String.raw`\$&`)
    // By code and not as `$${`, whose meaning depends on what stands before it.
    .replaceAll(/[$%](?=\{)|[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (character) => escape(character))}"`

const escape = (character: string): string => {
  const code = character.codePointAt(0) ?? 0
  return code > 0xffff
    ? longEscape + code.toString(16).padStart(8, '0')
    : shortEscape + code.toString(16).padStart(4, '0')
}

/** Tagged once: a tag for each character took three times as long, 80 ms for a page of control characters. */
const shortEscape = String.raw`\u`
const longEscape = String.raw`\U`
