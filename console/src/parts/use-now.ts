import { useEffect, useState } from 'react'

/** The time, each second anew while something goes on. */
export function useNow(goesOn: boolean): number {
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    if (!goesOn) return
    const timer = setInterval(() => setNow(Date.now()), 1_000)
    return () => clearInterval(timer)
  }, [goesOn])
  return now
}
