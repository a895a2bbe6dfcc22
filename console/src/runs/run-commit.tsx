import type { Run } from '../api/types.ts'
import { plainLine } from '../parts/plain-text.ts'

type Props = {
  run: { author: { label: string }; commitSha?: Run['commitSha']; commit?: Run['commit'] }
}

/** The commit that a run was planned or built from, where its files came from Git. Anybody writes its texts. */
export function RunCommit({ run: { author, commitSha, commit } }: Props) {
  const sha = (commit?.sha ?? commitSha)?.slice(0, 7)
  if (!sha) return null
  const message = plainLine(commit?.message ?? '')
  return (
    <>
      {!author.label.includes(sha) && (
        <>
          {' · '}
          <code>{sha}</code>
        </>
      )}
      {commit?.author && (
        <>
          {' by '}
          <bdi>{plainLine(nameIn(commit.author))}</bdi>
        </>
      )}
      {message !== '' && (
        <>
          {' · '}
          <bdi>{message}</bdi>
        </>
      )}
    </>
  )
}

/** A commit has `Ann <ann@example.com>`. */
const nameIn = (author: string): string => author.replace(/\s*<[^>]*>$/, '') || author
