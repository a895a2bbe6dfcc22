/** Waits until a program that was just started answers with a success; it may need a while to begin. */
export async function awaitAnswer(url: string, timeoutMs: number): Promise<void> {
  const end = Date.now() + timeoutMs
  for (;;) {
    try {
      const { ok, status } = await fetch(url, { signal: AbortSignal.timeout(5_000) })
      if (ok) return
      if (Date.now() > end) throw new Error(`${url} answers ${status}`)
    } catch (error) {
      if (Date.now() > end) throw error
    }
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
}
