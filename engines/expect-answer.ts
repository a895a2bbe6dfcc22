/** Asks a part of this service over HTTP and gives its answer; throws that unless it is a success. */
export async function expectAnswer(url: string): Promise<string> {
  const response = await fetch(url, { signal: AbortSignal.timeout(3_000) })
  const text = await response.text()
  if (!response.ok) throw new Error(`${response.status} ${text.slice(0, 300)}`)
  return text
}
