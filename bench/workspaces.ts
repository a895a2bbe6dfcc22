import type { CallApi } from './call-api.ts'

/** Three resources that need no provider download: they are built into OpenTofu. */
export const files = {
  'main.tf': `variable "word" { default = "unchanged" }
resource "terraform_data" "one" { input = var.word }
resource "terraform_data" "two" { input = terraform_data.one.output }
resource "terraform_data" "three" { input = "fixed" }
output "word" { value = terraform_data.two.output }
`,
}

/** Creates a standard workspace with these files and returns its id. */
export async function makeWorkspace(call: CallApi, name: string): Promise<number> {
  const { body } = await call('POST', '/workspaces', { name, criticality: 'standard' })
  const { id } = body['workspace'] as { id: number }
  await call('PUT', `/workspaces/${id}/configuration`, { files })
  return id
}
