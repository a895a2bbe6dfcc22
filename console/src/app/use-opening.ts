import { useNavigate } from '@tanstack/react-router'
import { useCallback, useState } from 'react'

/** The parameters of an address that open a dialog of its page. */
export type Opening = 'create' | 'invite' | 'start' | 'upload'

/**
 * A dialog that a button opens, or a link to its page. Closed, it leaves the address, so that a reload
 * does not open it again.
 */
export function useOpening(name: Opening, isLinked: boolean) {
  const [isBegun, setBegun] = useState(false)
  const navigate = useNavigate()
  const close = useCallback(() => {
    setBegun(false)
    if (isLinked)
      void navigate({
        to: '.',
        search: ({ [name]: _, ...kept }: Record<string, unknown>) => kept,
        replace: true,
      })
  }, [isLinked, name, navigate])
  return { isOpen: isBegun || isLinked, open: useCallback(() => setBegun(true), []), close }
}
