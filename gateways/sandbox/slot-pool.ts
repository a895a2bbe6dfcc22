import { unavailable } from '../../domain/errors.ts'
import { clearSlot } from './work-folder.ts'
import { claimSlot, type Slot } from './claim-slot.ts'
import { openPrivateNetwork, type PrivateNetwork } from './open-private-network.ts'

export type PooledSlot = Slot & {
  /** The slot's private network, created when a run first needs it; undefined without bubblewrap. */
  network(): Promise<PrivateNetwork | undefined>
}

export type SlotPoolOptions = {
  size: number
  workDir: string
  cgroups: string | null
  bwrap: string | undefined
  waitMs?: number
}

export type SlotPool = {
  take(): Promise<PooledSlot>
  giveBack(slot: PooledSlot): void
  close(): void
}

/** The slots of this worker. A slot is claimed when first needed and kept, with its network, until the end. */
export function slotPool(options: SlotPoolOptions): SlotPool {
  const { size, workDir, cgroups, bwrap, waitMs = 60_000 } = options
  const free: PooledSlot[] = []
  const waiting: Array<(slot: PooledSlot) => void> = []
  const all: PooledSlot[] = []
  let claimed = 0

  return {
    async take() {
      const ready = free.pop()
      if (ready) return ready
      if (claimed >= size) return waitForOne(waiting, waitMs)
      claimed += 1
      try {
        const slot = pooled(await claimSlot(workDir), bwrap)
        all.push(slot)
        try {
          // Its last holder may have died without cleaning up.
          await clearSlot({ workDir, cgroups }, slot)
        } catch (error) {
          slot.release()
          throw error
        }
        return slot
      } catch (error) {
        claimed -= 1
        throw error
      }
    },
    giveBack(slot) {
      const next = waiting.shift()
      if (next) next(slot)
      else free.push(slot)
    },
    close() {
      for (const slot of all) slot.release()
    },
  }
}

function pooled(slot: Slot, bwrap: string | undefined): PooledSlot {
  let network: Promise<PrivateNetwork> | undefined
  return {
    number: slot.number,
    uid: slot.uid,
    async network() {
      if (!bwrap) return undefined
      network ??= openPrivateNetwork(bwrap)
      try {
        return await network
      } catch (error) {
        network = undefined
        throw error
      }
    },
    release() {
      network?.then((made) => made.close()).catch(() => {})
      slot.release()
    },
  }
}

function waitForOne(
  waiting: Array<(slot: PooledSlot) => void>,
  waitMs: number,
): Promise<PooledSlot> {
  return new Promise((resolve, reject) => {
    const receive = (slot: PooledSlot) => {
      clearTimeout(timer)
      resolve(slot)
    }
    const timer = setTimeout(() => {
      waiting.splice(waiting.indexOf(receive), 1)
      reject(unavailable('no_slot', 'All slots of this worker are taken'))
    }, waitMs)
    waiting.push(receive)
  })
}
