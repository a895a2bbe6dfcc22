import { maxFiles, tooMany } from './bounds.ts'
import type { ChosenFile } from './read-upload.ts'

/** Folders of programs, which can hold more files than a page can look at. */
const skipped = new Set(['.git', '.terraform', 'node_modules', '__MACOSX'])

/**
 * The files of a drop, with those of its folders. To be called in the handler of the event: afterwards the
 * browser gives none of them.
 */
export function droppedFiles(transfer: DataTransfer): Promise<ChosenFile[]> {
  const entries = [...transfer.items].flatMap((item) => item.webkitGetAsEntry() ?? [])
  return entries.length > 0
    ? walk(entries)
    : Promise.resolve([...transfer.files].map((file) => ({ path: file.name, file })))
}

async function walk(entries: readonly FileSystemEntry[]): Promise<ChosenFile[]> {
  const found: ChosenFile[] = []
  const open = [...entries]
  for (let entry = open.shift(); entry; entry = open.shift()) {
    if (found.length > maxFiles * 5) throw tooMany()
    if (isFile(entry)) found.push({ path: entry.fullPath.slice(1), file: await fileOf(entry) })
    else if (isFolder(entry) && !skipped.has(entry.name)) open.push(...(await entriesIn(entry)))
  }
  return found
}

const isFile = (entry: FileSystemEntry): entry is FileSystemFileEntry => entry.isFile
const isFolder = (entry: FileSystemEntry): entry is FileSystemDirectoryEntry => entry.isDirectory

const fileOf = (entry: FileSystemFileEntry): Promise<File> =>
  new Promise((resolve, reject) => entry.file(resolve, reject))

/** A reader gives a hundred at once, and none at the end. */
async function entriesIn(folder: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = folder.createReader()
  const all: FileSystemEntry[] = []
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) =>
      reader.readEntries(resolve, reject),
    )
    if (some.length === 0 || all.length > maxFiles * 5) return all
    all.push(...some)
  }
}
