import { maxBytes, maxFiles, tooLarge, tooMany, unreadable, type UploadedFile } from './bounds.ts'
import { inflate } from './inflate.ts'
import { readTar } from './read-tar.ts'
import { readZip } from './read-zip.ts'

/** `path` is below the folder that was chosen. */
export type ChosenFile = { path: string; file: Blob }
export type Upload = {
  files: Record<string, string>
  /** What was not taken, and why. */
  left: Array<{ path: string; why: string }>
}

/** What was chosen or dropped, as files of a workspace. `folder` is where the workspace's OpenTofu works. */
export async function readUpload(chosen: readonly ChosenFile[], folder: string): Promise<Upload> {
  const all: UploadedFile[] = []
  for (const one of chosen) all.push(...(await filesIn(one, all)))
  const left = all.flatMap((one) => ('left' in one ? [{ path: one.path, why: one.left }] : []))
  const files: Array<{ path: string; text: string }> = []
  for (const one of all) {
    if ('left' in one) continue
    const text = textIn(one.bytes)
    const why = whyLeft(one.path) ?? (text === undefined ? 'not a text' : undefined)
    if (why === undefined && text !== undefined) files.push({ path: one.path, text })
    else left.push({ path: one.path, why: why ?? '' })
  }
  if (files.length > maxFiles) throw tooMany()
  const top = commonFolder(
    files.map(({ path }) => path),
    folder,
  )
  return {
    files: Object.fromEntries(files.map(({ path, text }) => [path.slice(top.length), text])),
    left,
  }
}

const isArchive = /\.(zip|tar|tar\.gz|tgz)$/i

async function filesIn({ path, file }: ChosenFile, before: readonly UploadedFile[]) {
  const size = before.reduce((sum, one) => sum + ('bytes' in one ? one.bytes.length : 0), 0)
  const limit = maxBytes - size
  if (whyLeft(path) !== undefined) return [{ path, left: whyLeft(path) ?? '' }]
  if (file.size > limit) throw tooLarge()
  const bytes = new Uint8Array(await file.arrayBuffer())
  if (!isArchive.test(path)) return [{ path, bytes }]
  if (/\.zip$/i.test(path)) return readZip(bytes)
  if (/\.tar$/i.test(path)) return readTar(bytes)
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) throw unreadable()
  // A tar has a block of its own for each file.
  return readTar(await inflate(bytes, 'gzip', limit + maxFiles * 5 * 1_024))
}

/** Files that OpenTofu or Git makes for itself, which the service refuses too. */
function whyLeft(path: string): string | undefined {
  const segments = path.split('/')
  if (segments.includes('.git')) return 'of Git itself'
  if (segments.includes('.terraform')) return 'of OpenTofu itself'
  if (/(^|\/)[^/]*\.tfstate(\.backup)?$/.test(path))
    return 'a state, which the workspace keeps itself'
  if (/(^|\/)(\.DS_Store|\._[^/]*|Thumbs\.db)$/.test(path) || segments.includes('__MACOSX'))
    return 'of the file manager'
  return undefined
}

/** Without a byte order mark. Undefined: bytes that are no text. */
function textIn(bytes: Uint8Array): string | undefined {
  if (bytes.includes(0)) return undefined
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}

/** The one folder that all is in, such as the name of an archive, unless the workspace works in it. */
function commonFolder(paths: readonly string[], folder: string): string {
  const [first = ''] = paths
  const top = first.slice(0, first.indexOf('/') + 1)
  const isCommon = top !== '' && paths.every((path) => path.startsWith(top))
  return isCommon && !`${folder}/`.startsWith(top) ? top : ''
}
