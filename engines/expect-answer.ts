/** Requests a URL of this service and returns the body. Throws status and body unless it is 2xx. */
export async function expectAnswer(url: string): Promise<string> {
  const response = await fetch(url, { signal: AbortSignal.timeout(3_000) })
  const text = await response.text()
  if (!response.ok) throw new Error(`${response.status} ${text.slice(0, 300)}`)
  return text
}
