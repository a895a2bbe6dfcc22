import { useState } from 'react'

type Seen = { address: string; sent: string; turn: number }

/**
 * A key for fields whose values come from the address. It changes when a link or Back changed the address, so
 * that they show it. It stays when they were sent themselves: they show it already, and new ones lose the focus.
 */
export function useFieldTurn(search: object): { turn: number; noteSent: (next: object) => void } {
  const address = textOf(search)
  const [seen, setSeen] = useState<Seen>({ address, sent: address, turn: 0 })
  if (seen.address !== address) setSeen(nextSeen(seen, address))
  const noteSent = (next: object) => setSeen((before) => ({ ...before, sent: textOf(next) }))
  return { turn: seen.turn, noteSent }
}

export const nextSeen = ({ sent, turn }: Seen, address: string): Seen => ({
  address,
  // Once shown, it is as any other address: a way back to it later is not the form's.
  sent: address,
  turn: address === sent ? turn : turn + 1,
})

/** The router has the parameters in an order of its own. */
export const textOf = (search: object): string =>
  JSON.stringify(Object.entries(search).toSorted(([a], [b]) => (a < b ? -1 : 1)))
