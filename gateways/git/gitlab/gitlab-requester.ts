import type { RequesterType, ResourceOptions } from '@gitbeaker/requester-utils'
import { createRequesterFn } from '@gitbeaker/requester-utils'
import { isJson } from '../provider-fetch.ts'

/**
 * @gitbeaker's requester over a `fetch` of ours: no retries and no rate of its own, a workflow does both better.
 * The library is shown no `Link`: it would follow one of any answer for as long as the host sends them, for its
 * `maxPages` counts by the page size that the host's own link names. `gitlabList` asks for pages instead.
 */
export function gitlabRequester(
  send: typeof globalThis.fetch,
): (options: ResourceOptions) => RequesterType {
  return createRequesterFn(
    async (_, request) => request,
    async (endpoint, options = {}) => {
      // These are what `createRequesterFn` makes of a call; its type only says "unknown".
      const { prefixUrl, searchParams, method, headers, body } = options as {
        prefixUrl: string
        searchParams?: string
        method: string
        headers: Record<string, string>
        body?: string
      }
      const url = new URL(endpoint, prefixUrl.endsWith('/') ? prefixUrl : `${prefixUrl}/`)
      url.search = searchParams ?? ''
      const answer = await send(url, { method, headers, ...(body !== undefined && { body }) })
      const { link: _, ...told } = Object.fromEntries(answer.headers)
      const text = answer.status === 204 ? null : await answer.text()
      return {
        status: answer.status,
        headers: told,
        body: isJson(answer) && text ? await answer.json() : text,
      }
    },
  )
}
