export type Arn = { service: string; region: string; accountId: string; type: string; name: string }

/**
 * `arn:partition:service:region:account:resource` (AWS General Reference, "Amazon Resource Names"). The type is
 * in the form of Resource Explorer, `ec2:instance`; undefined for what is no ARN.
 */
export function parseArn(text: string): Arn | undefined {
  const [arn, , service = '', region = '', accountId = '', ...rest] = text.split(':')
  const resource = rest.join(':').replace(/^\//, '')
  if (arn !== 'arn' || service === '' || resource === '') return undefined
  const bare = bareTypes[service]
  const slash = resource.search(/[/:]/)
  const hasType = slash > 0 && bare === undefined
  const kind = hasType ? resource.slice(0, slash) : (bare ?? 'resource')
  const name = hasType ? resource.slice(slash + 1) : resource
  return { service, region, accountId, type: `${service}:${kind}`, name: lastPart(name) }
}

/** Services whose ARNs go without a type. */
const bareTypes: Readonly<Record<string, string>> = { s3: 'bucket', sns: 'topic', sqs: 'queue' }

const lastPart = (name: string): string => name.slice(name.lastIndexOf('/') + 1) || name
