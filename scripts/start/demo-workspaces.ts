import { shopFiles } from './demo-cost/shop-files.ts'

export type DemoWorkspace = {
  name: string
  criticality: 'standard' | 'production'
  files: Record<string, string>
  /** The name of a second infrastructure pipeline, beside the workspace's own. */
  pipeline?: string
  /** Set after the first run, so that the second has something to change. */
  variable?: { key: string; value: string }
  /** Its first run is the cause of an anomaly of the demo's bills, which it holds some of. */
  isCause?: true
}

/** Only `terraform_data`, which is built into OpenTofu: the demo needs no cloud and downloads no provider. */
export const demoWorkspaces: readonly DemoWorkspace[] = [
  {
    name: 'demo-network',
    criticality: 'standard',
    files: {
      'main.tf': `variable "cidr" {
  type    = string
  default = "10.20.0.0/16"
}

resource "terraform_data" "network" {
  input = { cidr = var.cidr }
}

resource "terraform_data" "subnet" {
  count = 3
  input = {
    network = terraform_data.network.id
    cidr    = cidrsubnet(var.cidr, 4, count.index)
  }
}
`,
      'outputs.tf': `output "subnets" {
  value = [for subnet in terraform_data.subnet : subnet.output.cidr]
}
`,
    },
  },
  {
    name: 'demo-shop',
    criticality: 'production',
    pipeline: 'release-demo-shop',
    variable: { key: 'replicas', value: '3' },
    isCause: true,
    files: shopFiles(),
  },
]
