import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { unavailable } from '../../domain/errors.ts'
import { startOfProcess } from '../../gateways/processes/start-of-process.ts'
import type { BillInput } from '../../workflows/finops/contract.ts'

/** `org-7-ingest-12-slice-31`: made of ids alone, so that no name of a file or account becomes a path. */
const nameOf = ({ organizationId, ingestId, sliceId, uploadId }: BillInput): string =>
  `org-${organizationId}-ingest-${ingestId}-${uploadId === undefined ? `slice-${sliceId}` : `upload-${uploadId}`}`

const nameForm = /^org-\d+-ingest-(\d+)-(?:slice|upload)-\d+$/

/** The folders that activities of this process work in. */
const inUse = new Set<string>()

export type BillFolder = {
  path: string
  /** Where the bill's files are fetched to; an earlier attempt of this machine may have left some. */
  files: string
  /** Of the files that were there. */
  bytes: number
  /** For the reader, empty. */
  out: string
  remove(): Promise<void>
  /** Leaves the files for the next attempt, and nothing of the reader. */
  leave(): Promise<void>
}

/**
 * The folder of one bill on this worker's disk. Files that an attempt before a crash fetched are still in
 * it. Throws while another attempt, here or in another process of this machine, has it: both would append
 * to the same files.
 */
export async function openBillFolder(root: string, input: BillInput): Promise<BillFolder> {
  const path = join(root, nameOf(input))
  if (inUse.has(path)) throw taken()
  inUse.add(path)
  let bytes = 0
  try {
    await mkdir(join(path, 'files'), { recursive: true, mode: 0o711 })
    await claim(join(path, 'owner'))
    await rm(join(path, 'out'), { recursive: true, force: true })
    await mkdir(join(path, 'out'), { mode: 0o711 })
    bytes = await bytesIn(join(path, 'files'))
  } catch (error) {
    inUse.delete(path)
    throw error
  }
  return {
    path,
    files: join(path, 'files'),
    bytes,
    out: join(path, 'out'),
    async remove() {
      await rm(path, { recursive: true, force: true }).finally(() => inUse.delete(path))
    },
    async leave() {
      await rm(join(path, 'out'), { recursive: true, force: true }).finally(() =>
        inUse.delete(path),
      )
    },
  }
}

const taken = () =>
  unavailable('bill_folder_taken', 'Another attempt still works on this bill. It is tried again.')

async function bytesIn(folder: string): Promise<number> {
  const names = await readdir(folder)
  const sizes = await Promise.all(names.map(async (name) => (await stat(join(folder, name))).size))
  return sizes.reduce((sum, size) => sum + size, 0)
}

/** Notes this process as the owner, unless the one that is noted still runs. */
async function claim(path: string): Promise<void> {
  const mine = await identityOf(process.pid)
  const noted = await readFile(path, 'utf8').catch(() => '')
  if (noted !== '' && noted !== mine && noted === (await identityOf(parseInt(noted, 10))))
    throw taken()
  await writeFile(path, mine)
}

/**
 * The process and when it began, since the system gives a number to another process later. Empty for one
 * that does not run, and where there is no /proc.
 */
async function identityOf(pid: number): Promise<string> {
  const start = await startOfProcess(pid)
  return start === '' ? '' : `${pid} ${start}`
}

/** Removes the folders whose ingest is over: a worker that was killed, or an attempt without a next one, left them. */
export async function removeOldFolders(
  root: string,
  running: (ingestIds: number[]) => Promise<number[]>,
  removed: (folder: string) => void,
): Promise<void> {
  const names = await readdir(root).catch((): string[] => [])
  const folders = names.flatMap((name) => {
    const [, ingestId] = nameForm.exec(name) ?? []
    const path = join(root, name)
    return ingestId === undefined || inUse.has(path) ? [] : [{ path, ingestId: Number(ingestId) }]
  })
  if (folders.length === 0) return
  const live = new Set(await running(folders.map(({ ingestId }) => ingestId)))
  for (const { path, ingestId } of folders)
    if (!live.has(ingestId)) {
      await rm(path, { recursive: true, force: true })
      removed(path)
    }
}
