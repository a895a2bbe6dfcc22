import { maxCommentPages, type GitPulls } from '../git-pulls.ts'
import { isStatus } from '../git-refusal.ts'
import type { JsonClient } from '../json-client.ts'

type Ref = { id: string; repository: { id: number } }
type Pull = { state: string; fromRef: Ref; toRef: Ref }
type Comment = { id: number; version: number; text: string }
type Page<T> = { values: T[]; isLastPage: boolean; nextPageStart?: number | null }
type Change = { path: { toString: string }; srcPath?: { toString: string } }

export function bitbucketDataCenterPulls(
  client: JsonClient,
  at: (name: string) => string,
): GitPulls {
  const of = (name: string, number: number) => `${at(name)}/pull-requests/${number}`
  const branch = ({ id }: Ref) => id.replace(/^refs\/heads\//, '')
  return {
    pull: async (name, number) => {
      try {
        const { state, fromRef, toRef } = await client.get<Pull>(of(name, number))
        return {
          number,
          open: state === 'OPEN',
          into: branch(toRef),
          from: branch(fromRef),
          fork: fromRef.repository.id !== toRef.repository.id,
        }
      } catch (error) {
        if (isStatus(error, 404)) return null
        throw error
      }
    },

    closePull: async (name, { from, into }) => {
      type Open = { id: number; version: number; toRef: { id: string } }
      const { values } = await client.get<Page<Open>>(`${at(name)}/pull-requests`, {
        state: 'OPEN',
        direction: 'OUTGOING',
        at: `refs/heads/${from}`,
      })
      const found = values.find(({ toRef }) => toRef.id === `refs/heads/${into}`)
      if (!found) return false
      await client.post(`${of(name, found.id)}/decline?version=${found.version}`, {})
      return true
    },

    changedPaths: async (name, { number }) => {
      const paths = new Set<string>()
      const listed = client.list<Change>(`${of(name, number)}/changes`, { limit: 500 })
      for await (const { path, srcPath } of listed)
        for (const one of [path, srcPath]) if (one) paths.add(one.toString)
      return [...paths]
    },

    findComment: async (name, { number, words }) => {
      let start = 0
      let oldest: string | null = null
      for (let asking = 0; asking < maxCommentPages; asking += 1) {
        const page: Page<{ action: string; comment?: Comment }> = await client.get(
          `${of(name, number)}/activities`,
          { start, limit: 100 },
        )
        // The newest come first.
        for (const { action, comment } of page.values)
          if (action === 'COMMENTED' && comment?.text.includes(words)) oldest = String(comment.id)
        if (page.isLastPage || page.nextPageStart == null) break
        start = page.nextPageStart
      }
      return oldest
    },

    writeComment: async (name, { number, id, body }) => {
      const comments = `${of(name, number)}/comments`
      if (id === null)
        return String((await client.post<Comment>(comments, { text: body })).data?.id)
      try {
        // Of two who write at once, the version lets one.
        const { version } = await client.get<Comment>(`${comments}/${id}`)
        await client.put(`${comments}/${id}`, { text: body, version })
        return id
      } catch (error) {
        if (isStatus(error, 403, 404)) return null
        throw error
      }
    },
  }
}
