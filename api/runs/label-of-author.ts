import { originInWords, type RunOrigin } from '../../domain/runs/run-origin.ts'

type Started = {
  origin: RunOrigin
  authorLabel: string | null
  commitSha: string | null
  pullRequest: number | null
}

/** Who started a run, for "by …". */
export function labelOfAuthor({ origin, authorLabel, commitSha, pullRequest }: Started): string {
  switch (origin) {
    case 'person':
      return authorLabel ?? 'a former member'
    case 'push':
      return `push of ${commitSha?.slice(0, 7) ?? 'a commit'}`
    case 'pull_request':
      return `pull request #${pullRequest}`
    default:
      return authorLabel ?? originInWords[origin]
  }
}
