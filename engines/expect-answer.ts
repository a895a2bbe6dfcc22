/** Asks a part of this service over HTTP; throws what it answered unless that is a success. */
export async function expectAnswer(url: string): Promise<void> {
  const response = await fetch(url, { signal: AbortSignal.timeout(3_000) })
  const text = await response.text()
  if (!response.ok) throw new Error(`${response.status} ${text.slice(0, 300)}`)
}
