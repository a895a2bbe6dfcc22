import { readdirSync, readFileSync } from 'node:fs'

/** The processes that this one started to read configurations. */
export const configurationReaders = (): number[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        return (
          readFileSync(`/proc/${pid}/status`, 'utf8').includes(`PPid:\t${process.pid}\n`) &&
          readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('read-configuration-process')
        )
      } catch {
        // It has ended since it was listed.
        return false
      }
    })
    .map(Number)
