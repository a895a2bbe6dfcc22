import {
  existsSync,
  lstatSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
} from 'node:fs'
import { rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { AgentFolder } from '../disk/agent-folder.ts'
import { flushFolder, readObject, writeDurably } from '../disk/write-durably.ts'
import { Refusal } from '../faults.ts'
import type { Hooks } from '../service/read-claim.ts'

/** What the agent keeps of a release that is installed. */
export type Known = {
  digest: string
  runId: string | number | null
  hooks: Hooks
  /** What `install` was run with. The same again needs no new folder. */
  installKey: string
  installedAt: string
  /** When it was switched to last. One that never was is the first to be removed. */
  usedAt?: string
}

export type Releases = {
  /** Name of the folder that `current` points to. */
  current(): string | null
  /** As the service is told. */
  running(): { digest: string; runId: string | number | null } | null
  known(folder: string): Known | undefined
  pathOf(folder: string): string
  /** An installed folder of the release. With a key, one that was installed with it. */
  find(digest: string, installKey?: string): string | undefined
  /** A name for a new folder of the release, which is not the running one. */
  nameFor(digest: string): string
  remember(folder: string, known: Known): void
  switchTo(folder: string): void
  remove(folder: string): Promise<void>
  /** Removes all but the running release, those named, and the newest. */
  keepNewest(keep: number, more: readonly string[]): Promise<string[]>
}

/** `<digest>`, or `<digest>.b` beside a running one: a release is never unpacked over the running one. */
const folderForm = /^[0-9a-f]{64}(?:\.b)?$/
/** Also what a crash left half unpacked. What an operator put beside them stays. */
const ours = /^[0-9a-f]{64}(?:\.b)?(?:\.part)?$/

export function releasesIn(folder: AgentFolder): Releases {
  const pathOf = (name: string) => join(folder.releases, name)
  const fileOf = (name: string) => join(folder.known, `${name}.json`)
  const installed = () => readdirSync(folder.releases).filter((name) => known(name))

  const current = () => {
    const found = lstatSync(folder.current, { throwIfNoEntry: false })
    if (!found) return null
    if (!found.isSymbolicLink())
      throw new Refusal('bad_folder', `${folder.current} is no symbolic link`)
    const name = basename(readlinkSync(folder.current))
    return folderForm.test(name) && existsSync(pathOf(name)) ? name : null
  }
  const known = (name: string): Known | undefined => {
    if (!folderForm.test(name) || !existsSync(pathOf(name))) return undefined
    // Written by this file alone.
    return readObject(fileOf(name)) as Known | undefined
  }
  const newestFirst = () =>
    installed().toSorted((a, b) => ((known(a)?.usedAt ?? '') < (known(b)?.usedAt ?? '') ? 1 : -1))
  const remove = async (name: string) => {
    // What the agent knows goes first: a folder that is half removed is none that is installed.
    rmSync(fileOf(name), { force: true })
    flushFolder(folder.known)
    await rm(pathOf(name), { recursive: true, force: true })
  }

  return {
    current,
    known,
    pathOf,
    remove,
    running() {
      const name = current()
      if (name === null) return null
      return { digest: `sha256:${name.slice(0, 64)}`, runId: known(name)?.runId ?? null }
    },
    find: (digest, installKey) =>
      newestFirst().find((name) => {
        const one = known(name)
        return one?.digest === digest && (!installKey || one.installKey === installKey)
      }),
    nameFor(digest) {
      const name = digest.replace('sha256:', '')
      return current() === name ? `${name}.b` : name
    },
    remember: (name, one) => writeDurably(fileOf(name), `${JSON.stringify(one)}\n`),
    switchTo(name) {
      const beside = `${folder.current}.new`
      rmSync(beside, { force: true })
      symlinkSync(join('releases', name), beside)
      renameSync(beside, folder.current)
      flushFolder(folder.root)
    },
    async keepNewest(keep, more) {
      const running = current()
      const kept = new Set([running, ...more, ...newestFirst().slice(0, keep)])
      const all = readdirSync(folder.releases)
      const removed = all.filter((name) => ours.test(name) && !kept.has(name))
      for (const name of removed) await remove(name)
      for (const name of readdirSync(folder.known))
        if (!all.includes(name.replace(/\.json$/, ''))) unlinkSync(join(folder.known, name))
      return removed
    },
  }
}
