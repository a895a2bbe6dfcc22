import { isJson } from '../provider-fetch.ts'

type Fetch = typeof globalThis.fetch

/**
 * For an octokit with `parseSuccessResponseBody: false`, whose data are then the `body` of an answer: here what `read`
 * makes of it. Octokit's own parser calls a function for each value, and takes ten times as long.
 */
export function octokitFetch(send: Fetch, read = valueOf): Fetch {
  return async (input, init) => {
    const answer = await send(input, init)
    return Object.defineProperty(answer, 'body', { value: await read(answer) })
  }
}

/** What is no JSON stays a text, as octokit has it. */
async function valueOf(answer: Response): Promise<unknown> {
  const text = await answer.text()
  return isJson(answer) && text !== '' ? answer.json() : text
}
