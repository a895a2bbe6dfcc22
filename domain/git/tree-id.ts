import { createHash } from 'node:crypto'

/** A folder's name to its content, or a file's to its blob id. */
type Node = Map<string, Node | string>

/**
 * The id that git gives to a folder of plain files (gitformat-object). It identifies every file below
 * without a listing. Paths are relative to the folder.
 */
export function treeId(files: ReadonlyMap<string, string>): string {
  const root: Node = new Map()
  for (const [path, blob] of files) {
    const names = path.split('/')
    let at = root
    for (const name of names.slice(0, -1)) {
      const next = at.get(name)
      const folder: Node = next instanceof Map ? next : new Map()
      at.set(name, folder)
      at = folder
    }
    at.set(names.at(-1) ?? '', blob)
  }
  return idOf(root)
}

function idOf(node: Node): string {
  const entries = [...node].map(([name, child]) =>
    typeof child === 'string'
      ? { mode: '100644', name, key: name, id: child }
      : // git sorts a folder as if its name ended with a slash.
        { mode: '40000', name, key: `${name}/`, id: idOf(child) },
  )
  const bytes = Buffer.concat(
    entries
      .toSorted((one, other) => Buffer.compare(Buffer.from(one.key), Buffer.from(other.key)))
      .flatMap(({ mode, name, id }) => [Buffer.from(`${mode} ${name}\0`), Buffer.from(id, 'hex')]),
  )
  return createHash('sha1').update(`tree ${bytes.length}\0`).update(bytes).digest('hex')
}
