import type { QueryClient } from '@tanstack/react-query'

/** Until no question is open, or this many milliseconds are over: then the page says what it waits for. */
export async function answersOrTimeout(queryClient: QueryClient, ms: number): Promise<void> {
  if (queryClient.isFetching() === 0) return
  await new Promise<void>((resolve) => {
    const timer = setTimeout(end, ms)
    const leave = queryClient.getQueryCache().subscribe(() => {
      if (queryClient.isFetching() === 0) end()
    })
    function end() {
      clearTimeout(timer)
      leave()
      resolve()
    }
  })
}
