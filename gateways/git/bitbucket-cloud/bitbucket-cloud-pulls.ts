import { maxCommentPages, type GitPulls } from '../git-pulls.ts'
import { isStatus } from '../git-refusal.ts'
import { inPath, type JsonClient } from '../json-client.ts'

type Side = { branch: { name: string }; repository: { uuid: string } | null }
type Pull = { state: string; source: Side; destination: Side }
type Page<T> = { values: T[]; next?: string }
type Comment = { id: number; deleted?: boolean; content?: { raw?: string } }
type Stat = { old?: { path: string } | null; new?: { path: string } | null }

export function bitbucketCloudPulls(client: JsonClient): GitPulls {
  const at = (name: string) => `/repositories/${inPath(name)}`
  return {
    pull: async (name, number) => {
      try {
        const found = await client.get<Pull>(`${at(name)}/pullrequests/${number}`)
        return {
          number,
          open: found.state === 'OPEN',
          into: found.destination.branch.name,
          from: found.source.branch.name,
          fork: found.source.repository?.uuid !== found.destination.repository?.uuid,
        }
      } catch (error) {
        if (isStatus(error, 404)) return null
        throw error
      }
    },

    closePull: async (name, { from, into }) => {
      const { values } = await client.get<Page<{ id: number }>>(`${at(name)}/pullrequests`, {
        state: 'OPEN',
        q: `source.branch.name = "${from}" AND destination.branch.name = "${into}"`,
      })
      if (!values[0]) return false
      await client.post(`${at(name)}/pullrequests/${values[0].id}/decline`, {})
      return true
    },

    changedPaths: async (name, { into, from }) => {
      const paths = new Set<string>()
      // `topic`: against where the one branch left the other.
      const spec = `${encodeURIComponent(from)}..${encodeURIComponent(into)}`
      const query = { topic: 'true', pagelen: 100 }
      for await (const stat of client.list<Stat>(`${at(name)}/diffstat/${spec}`, query))
        for (const path of [stat.old?.path, stat.new?.path]) if (path) paths.add(path)
      return [...paths]
    },

    findComment: async (name, { number, words }) => {
      for (let page = 1; page <= maxCommentPages; page += 1) {
        const { values, next } = await client.get<Page<Comment>>(
          `${at(name)}/pullrequests/${number}/comments`,
          { page, pagelen: 100 },
        )
        const found = values.find(
          ({ deleted, content }) => !deleted && content?.raw?.includes(words),
        )
        if (found) return String(found.id)
        if (!next) break
      }
      return null
    },

    writeComment: async (name, { number, id, body }) => {
      const comments = `${at(name)}/pullrequests/${number}/comments`
      const comment = { content: { raw: body } }
      if (id === null) return String((await client.post<Comment>(comments, comment)).data?.id)
      try {
        await client.put(`${comments}/${id}`, comment)
        return id
      } catch (error) {
        if (isStatus(error, 403, 404)) return null
        throw error
      }
    },
  }
}
