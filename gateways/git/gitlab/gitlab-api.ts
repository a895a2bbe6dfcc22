import type { Gitlab } from '@gitbeaker/rest'
import { isStatus } from '../git-refusal.ts'

export type GitlabApi = InstanceType<typeof Gitlab<false>>

export async function gitlabHead(
  api: GitlabApi,
  name: string,
  branch: string,
): Promise<string | null> {
  try {
    return (await api.Branches.show(name, branch)).commit.id
  } catch (error) {
    if (isStatus(error, 404)) return null
    throw error
  }
}
