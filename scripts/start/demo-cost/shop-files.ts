import { demoResources } from './charges-of-day.ts'
import { shopNames } from './shop-names.ts'
import type { DemoCloud, DemoResource } from './demo-resource.ts'

const found = (cloud: DemoCloud, prefix: string): DemoResource[] =>
  demoResources[cloud].filter(({ isShop, name }) => isShop === true && name.startsWith(prefix))

/** The id as a state has it: bills name machines by their short ids and buckets by their names. */
const cloudId = ({ id, account, region, type }: DemoResource): string => {
  if (id?.startsWith('i-')) return `arn:aws:ec2:${region}:${account.id}:instance/${id}`
  return type === 'Bucket' && !id?.startsWith('//') ? `arn:aws:s3:::${id}` : String(id)
}
const list = (resources: readonly DemoResource[]): string =>
  resources.map((resource) => `    "${cloudId(resource)}",`).join('\n')
const one = (cloud: DemoCloud, name: string): string => {
  const [resource] = found(cloud, name).filter((resource) => resource.name === name)
  return resource ? cloudId(resource) : ''
}

/**
 * The files of demo-shop. `terraform_data` is built into OpenTofu, so that the demo needs no cloud; its output
 * names what a script would have made, and a workspace holds what that names (docs/ownership.md).
 */
export const shopFiles = (): Record<string, string> => ({
  'main.tf': `# No cloud is touched: each terraform_data names a resource of the demo's bills.
variable "replicas" {
  type    = number
  default = 2
}

locals {
  web = [
${list(found('aws', shopNames.web))}
  ]
  workers = [
${list(found('aws', shopNames.worker))}
  ]
}

resource "terraform_data" "database" {
  input = {
    id     = "${one('aws', shopNames.database)}"
    engine = "postgresql"
  }
}

resource "terraform_data" "cache" {
  input = { id = "${one('aws', shopNames.cache)}" }
}

resource "terraform_data" "images" {
  input = { id = "${one('aws', shopNames.bucket)}" }
}

resource "terraform_data" "exports" {
  input = { id = "${one('gcp', shopNames.exports)}" }
}

resource "terraform_data" "web" {
  count = var.replicas
  input = {
    id            = local.web[count.index]
    instance_type = "m7g.xlarge"
    database      = terraform_data.database.id
  }
}

resource "terraform_data" "worker" {
  count = length(local.workers)
  input = {
    id            = local.workers[count.index]
    instance_type = "c7g.4xlarge"
  }
}

output "replicas" {
  value = length(terraform_data.web)
}
`,
})
