import { randomBytes } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import type { Deps } from '../../api/deps.ts'
import type { Role } from '../../domain/access/roles.ts'
import { organizations } from '../../store/platform/organizations.ts'
import { users } from '../../store/users/users.ts'
import { createTestUser, type TestUser } from './test-user.ts'

export type TestOrganization = {
  id: number
  slug: string
  user(role: Role, options?: { platformAdmin?: boolean }): Promise<TestUser>
  /** Makes a workspace with these files as the user `by`, by default a new Owner. */
  workspace(options?: WorkspaceOptions): Promise<TestWorkspace>
}

export type WorkspaceOptions = {
  by?: TestUser
  criticality?: 'standard' | 'production'
  files?: Record<string, string>
  fields?: Record<string, unknown>
}

export type TestWorkspace = { id: number; name: string; pipelineId: number; url: string }

/** One resource that needs no provider download: it is built into OpenTofu. */
export const simpleFiles = {
  'main.tf': `variable "word" { default = "hello" }
resource "terraform_data" "one" { input = var.word }
output "word" { value = terraform_data.one.output }
`,
}

export async function createOrganization(
  app: FastifyInstance,
  deps: Deps,
): Promise<TestOrganization> {
  const slug = `org-${randomBytes(5).toString('hex')}`
  const { id } = await organizations(deps.store.platform).create(slug, slug)

  const user: TestOrganization['user'] = async (role, { platformAdmin = false } = {}) => {
    const email = `u${randomBytes(5).toString('hex')}@${slug}.example`
    const person = await deps.store.tenant(id, async (tenant) =>
      users(tenant).create({ email, name: email, role, platformAdmin }),
    )
    return createTestUser(app, deps, { id: person.id, organizationId: id, email })
  }

  return {
    id,
    slug,
    user,
    async workspace({ by, criticality = 'standard', files = simpleFiles, fields = {} } = {}) {
      const author = by ?? (await user('Owner'))
      const name = `ws-${randomBytes(4).toString('hex')}`
      const made = await author.post('/api/workspaces', { name, criticality, ...fields })
      if (made.statusCode !== 201) throw new Error(`no workspace: ${made.body}`)
      const { workspace } = made.json()
      const put = await author.put(`/api/workspaces/${workspace.id}/configuration`, { files })
      if (put.statusCode >= 300) throw new Error(`no configuration: ${put.body}`)
      return {
        id: workspace.id,
        name,
        pipelineId: workspace.pipelineId,
        url: `/api/workspaces/${workspace.id}`,
      }
    },
  }
}
